//! The searches of the textbooks, kept as they are told there: to compare with, and to test the fast engines against.
//!
//! None of them deduces anything: every placed digit (every chosen row of the cover) is a node, so their node counts
//! are the same on every run and machine.

pub(super) mod exact_cover;
pub(super) mod mrv;
pub(super) mod reading_order;

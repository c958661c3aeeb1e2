//! The members of an object: known, unknown or repeated, and their values within ranges.

use std::{borrow::Cow, collections::HashSet, ops::RangeInclusive};

use super::{
    fault::{Code, Faults, Pointer},
    json::{self, Value},
};

/// Tells the known members of an object from unknown and repeated ones.
pub(super) struct MemberNames<'a> {
    known: &'static [&'static str],
    seen: u32,
    unknown: HashSet<Cow<'a, str>>,
}

impl<'a> MemberNames<'a> {
    pub(super) fn new(known: &'static [&'static str]) -> MemberNames<'a> {
        MemberNames { known, seen: 0, unknown: HashSet::new() }
    }

    /// The name of the next member, if it is known and new; else that is a fault, at the member's own place.
    pub(super) fn check(&mut self, name: Cow<'a, str>, at: &Pointer, faults: &mut Faults) -> Option<&'static str> {
        let known = self.known.iter().position(|known| *known == name);
        let repeated = match known {
            Some(index) => self.seen >> index & 1 == 1,
            None => self.unknown.contains(&name),
        };
        self.seen |= known.map_or(0, |index| 1 << index);
        match known {
            _ if repeated => {
                faults.push(&at.at(&name), Code::RepeatedMember, "this member is there twice");
                None
            }
            Some(index) => Some(self.known[index]),
            None => {
                faults.push(&at.at(&name), Code::UnknownMember, "unknown member");
                self.unknown.insert(name);
                None
            }
        }
    }
}

/// An integer within a range.
pub(super) fn integer(value: Value, range: RangeInclusive<u64>, at: &Pointer, faults: &mut Faults) -> Option<u64> {
    let (least, most) = (range.start(), range.end());
    match value {
        Value::Integer(written) => {
            let found = json::natural(written).filter(|value| range.contains(value));
            if found.is_none() {
                faults.push(at, Code::OutOfRange, format_args!("expected an integer from {least} to {most}"));
            }
            found
        }
        other => {
            let detail = format_args!("expected an integer from {least} to {most}, found {}", other.kind());
            faults.push(at, Code::WrongType, detail);
            None
        }
    }
}

//! The machines that the engine knows, and the one place that may use `unsafe`.
//!
//! [`explore`] picks the best path that the processor can run. The paths differ in speed and in nothing else.

#![allow(unsafe_code, reason = "instructions that not every processor has")]

mod plain;
mod words;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
mod sse2;

use std::ops::ControlFlow;

use super::{
    super::{End, progress::Progress},
    stack::Stack,
};
use crate::puzzle::Grid;

/// A way to run the engine. All of them find the same solutions in the same order with the same nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Path(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Arrays, on every machine.
    Plain,
    /// Pairs of 128-bit registers, on every x86-64.
    #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
    Sse2,
    /// 256-bit registers, where the processor has them.
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Cpu),
}

impl Path {
    /// All that this machine can run, the slowest first.
    pub fn all() -> Vec<Path> {
        let mut kinds = vec![Kind::Plain];
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        kinds.push(Kind::Sse2);
        #[cfg(target_arch = "x86_64")]
        kinds.extend(avx2::Cpu::detect().map(Kind::Avx2));
        kinds.into_iter().map(Path).collect()
    }

    /// The fastest one here.
    #[inline]
    pub fn best() -> Path {
        #[cfg(target_arch = "x86_64")]
        if let Some(cpu) = avx2::Cpu::detect() {
            return Path(Kind::Avx2(cpu));
        }
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        let kind = Kind::Sse2;
        #[cfg(not(all(target_arch = "x86_64", target_feature = "sse2")))]
        let kind = Kind::Plain;
        Path(kind)
    }

    /// Its name.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Kind::Plain => "plain",
            #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
            Kind::Sse2 => "sse2",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(_) => "avx2",
        }
    }
}

/// Searches for the solutions of a board.
#[inline]
pub(super) fn explore(path: Path, givens: &Grid, stack: &mut Stack, progress: &mut Progress) -> ControlFlow<End> {
    match path.0 {
        Kind::Plain => plain::explore(givens, stack, progress),
        #[cfg(all(target_arch = "x86_64", target_feature = "sse2"))]
        Kind::Sse2 => sse2::explore(givens, stack, progress),
        #[cfg(target_arch = "x86_64")]
        Kind::Avx2(cpu) => avx2::explore(cpu, givens, stack, progress),
    }
}

//! The members of an object: known, unknown or repeated, and their values within ranges.

use std::{borrow::Cow, collections::BTreeSet, ops::RangeInclusive};

use super::{
    fault::{Code, Faults, Pointer},
    json::{self, Broken, Reader, Value},
};

/// Tells the known members of an object from unknown and repeated ones.
pub(super) struct MemberNames<'a> {
    known: &'static [&'static str],
    seen: u32,
    unknown: BTreeSet<Cow<'a, str>>,
}

impl<'a> MemberNames<'a> {
    pub(super) fn new(known: &'static [&'static str]) -> MemberNames<'a> {
        MemberNames { known, seen: 0, unknown: BTreeSet::new() }
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
                faults.push(&at.member(&name), Code::RepeatedMember, "this member is there twice");
                None
            }
            Some(index) => Some(self.known[index]),
            None => {
                faults.push(&at.member(&name), Code::UnknownMember, "unknown member");
                self.unknown.insert(name);
                None
            }
        }
    }
}

/// Reads an integer within a range.
pub(super) fn integer(
    json: &mut Reader,
    range: RangeInclusive<u64>,
    at: &Pointer,
    faults: &mut Faults,
) -> Result<Option<u64>, Broken> {
    let (least, most) = (range.start(), range.end());
    match json.value()? {
        Value::Integer(written) => {
            let found = json::natural(written).filter(|value| range.contains(value));
            if found.is_none() {
                faults.push(at, Code::OutOfRange, format_args!("expected an integer from {least} to {most}"));
            }
            Ok(found)
        }
        other => {
            let detail = format_args!("expected an integer from {least} to {most}, found {}", other.kind());
            faults.push(at, Code::WrongType, detail);
            Ok(None)
        }
    }
}

//! Every path against the textbook searches, and the paths against each other.

use super::*;
use crate::{
    puzzle::Puzzle,
    solver::{Limits, Search, Stop},
};

fn on(path: Path, givens: &Grid, max_solutions: usize, max_nodes: u64) -> Search {
    let stop = Stop::never();
    let mut progress = Progress::new(&Limits { max_solutions, max_nodes, stop: &stop });
    let flow = search_on(path, givens, &mut progress);
    progress.finish(flow)
}

fn reads(line: &str) -> Grid {
    line.parse().unwrap()
}

#[test]
fn quick() {
    for file in
        ["qqwing_easy", "17_clue", "serg_benchmark", "magictour_top1465", "forum_hardest_11", "forum_hardest_1106"]
    {
        let text = std::fs::read_to_string(format!("../shared/data/classic/{file}.txt")).unwrap();
        let mut nodes = [0; 3];
        let mut n = 0;
        for line in text.lines().skip(1).take(2000) {
            let grid = reads(&line[..81]);
            n += 1;
            let mut first: Option<Search> = None;
            for (k, path) in Path::all().into_iter().enumerate() {
                let found = on(path, &grid, 2, 1_000_000);
                nodes[k] += found.nodes;
                if let Some(first) = &first {
                    assert_eq!(first.nodes, found.nodes, "{grid} {path:?}");
                    assert_eq!(first.solutions[..], found.solutions[..], "{grid} {path:?}");
                    assert_eq!(first.end, found.end);
                } else {
                    for s in found.solutions.iter() {
                        assert!(Puzzle::new(s.clone(), vec![]).conflicts().is_empty());
                        assert!(s.filled().count() == 81);
                        assert!(grid.filled().all(|(c, d)| s.get(c) == Some(d)));
                    }
                    first = Some(found);
                }
            }
        }
        println!("{file} {:?}", nodes.map(|x| x as f64 / n as f64));
    }
}

// The dashed line inside of a cage's edge, as an SVG path over a board of 9 × 9 units.
//
// Each side of a cell that no other cell of the cage shares is a piece of the line, run clockwise. Its ends are drawn
// in where the cage turns outward, and drawn out where it turns inward; then the pieces are joined to closed lines, so
// that the dashes run around the corners.

import { columnOf, rowOf } from './puzzle.js';

// Of each side: where it starts in the cell, which way it runs, and which way is out.
const SIDES = [
  { from: [0, 0], along: [1, 0], out: [0, -1] },
  { from: [1, 0], along: [0, 1], out: [1, 0] },
  { from: [1, 1], along: [-1, 0], out: [0, 1] },
  { from: [0, 1], along: [0, -1], out: [-1, 0] },
];

export function outline(cells, inset) {
  const inside = new Set(cells);
  const has = (x, y) => x >= 0 && x < 9 && y >= 0 && y < 9 && inside.has(9 * y + x);
  const pieces = new Map();
  for (const cell of inside) {
    const [x, y] = [columnOf(cell), rowOf(cell)];
    for (const { from, along, out } of SIDES) {
      if (has(x + out[0], y + out[1])) continue;
      // How far the line goes beyond this end of the side, in the direction of `sign` along it.
      const beyond = (sign) => {
        const [aheadX, aheadY] = [x + sign * along[0], y + sign * along[1]];
        if (!has(aheadX, aheadY)) return -inset;
        return has(aheadX + out[0], aheadY + out[1]) ? inset : 0;
      };
      const point = (distance) =>
        [0, 1].map((axis) => round([x, y][axis] + from[axis] + distance * along[axis] - inset * out[axis]));
      // No two sides start at the same point, as all of them are drawn into the cage.
      pieces.set(String(point(-beyond(-1))), String(point(1 + beyond(1))));
    }
  }
  let path = '';
  while (pieces.size > 0) {
    const first = pieces.keys().next().value;
    let at = first;
    do {
      path += `${at === first ? 'M' : 'L'}${at.replace(',', ' ')}`;
      const next = pieces.get(at);
      pieces.delete(at);
      at = next;
    } while (at !== first && at !== undefined);
    path += 'Z';
  }
  return path;
}

const round = (number) => Math.round(number * 1000) / 1000;

/** How many earlier cages each cage overlaps, so that their lines can be drawn beside each other. */
export function depths(cages) {
  const depths = [];
  for (const [index, { cells }] of cages.entries()) {
    const taken = cages.slice(0, index).flatMap((other, at) => (other.cells.some((cell) => cells.includes(cell)) ? depths[at] : []));
    let depth = 0;
    while (taken.includes(depth)) depth += 1;
    depths.push(depth);
  }
  return depths;
}

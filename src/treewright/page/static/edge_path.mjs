// The lines of edges, from one card to another.

const TRUNK = 20; // pixels in which edges to the right have turned: labels stand behind
const LABEL_LINE = 21; // pixels above a card that its label has for itself

export function downward(from, to) {
  const [x1, y1, x2, y2] = [from.x + from.w / 2, from.y + from.h, to.x + to.w / 2, to.y];
  const end = y2 - y1 > 1.6 * LABEL_LINE ? y2 - LABEL_LINE : y2;
  const middle = (y1 + end) / 2;
  return `M${x1} ${y1}C${x1} ${middle} ${x2} ${middle} ${x2} ${end}V${y2}`;
}

export function rightward(from, to) {
  const [x1, y1, x2, y2] = [from.x + from.w, from.y + from.h / 2, to.x, to.y + to.h / 2];
  const bend = x1 + Math.min((x2 - x1) * 0.35, TRUNK);
  return `M${x1} ${y1}C${bend} ${y1} ${x1} ${y2} ${bend} ${y2}L${x2} ${y2}`;
}

export function elbow(from, to) {
  const x = from.x + 9;
  return `M${x} ${from.y + from.h}V${to.y + to.h / 2}H${to.x}`;
}

// What the edge that leads to a node says, in the room there is.

import { fitted, FONT, textWidth } from "./dom.mjs";
import { formatCount, formatShare } from "./number_text.mjs";
import { edgeWords } from "./region.mjs";

const NAMED = 4; // levels of a label at most

/** What an edge may say, the most telling first: the branch of most levels is other where they are not all named. */
export function labelAttempts(tree, v) {
  const { isRest, nLevels } = edgeWords(tree, v, 1);
  const counts = tree.split(tree.parent[v]).column.kind === "numeric" ? [1]
    : isRest ? [...(nLevels <= NAMED ? [NAMED] : []), 0] : [NAMED, 3, 2, 1];
  const said = (numbers) => missingEnds(tree, v).flatMap((end) => numbers.map((count) => edgeWords(tree, v, count).words + end));
  return counts.includes(1) && nLevels > 1 ? [...said(counts), ...said([0])] : said(counts);
}

/** How a label ends, shorter and shorter: with the rows that had no value here, or the share of them. */
function missingEnds(tree, v) {
  const { missing } = edgeWords(tree, v, 1);
  const above = tree.parent[v];
  if (missing === "here") return [` or missing (${formatCount(tree.missingAt(above))})`, " or missing", " or ?"];
  if (missing !== "shared") return [""];
  const total = tree.children(above).reduce((sum, child) => sum + tree.weight[child], 0);
  const share = formatShare(total > 0 ? tree.weight[v] / total : 1 / tree.nBranches[above]);
  return [` or missing (${share})`, ` or ? (${share})`, " or ?"];
}

/** As many levels as there is room for. Names are cut in the middle; a part of a number would be another number. */
export function fittedLabel(tree, v, room) {
  const attempts = labelAttempts(tree, v);
  for (const shown of attempts) {
    const font = [FONT.normal, FONT.small].find((one) => textWidth(shown.slice(0, 400), one) <= room);
    if (font) return { shown, font };
  }
  const isNumeric = tree.split(tree.parent[v]).column.kind === "numeric";
  const end = missingEnds(tree, v).at(-1);
  const words = isNumeric ? "" : fitted(edgeWords(tree, v, 1).words, room - textWidth(end, FONT.normal), FONT.normal, { middle: true });
  return { shown: words && words + end, font: FONT.normal };
}

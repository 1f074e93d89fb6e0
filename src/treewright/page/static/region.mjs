// What paths accept of each column, in words, as SQL and as a pandas filter.

import { cutText, formatThreshold, levelText, oneLine } from "./number_text.mjs";
import { AS_MISSING, EVERY_BRANCH, STOP } from "./tree.mjs";

/**
 * What one branch accepts of a column: intervals (low, high] of numbers, or levels, and where missing values go:
 * "here", "elsewhere", or "shared" among all branches.
 */
export function regionOf(split, branch) {
  const { column, edges, branchOf } = split;
  const missing = branchOf[0] === branch ? "here" : branchOf[0] === EVERY_BRANCH ? "shared" : "elsewhere";
  const accepted = Array.from(branchOf.subarray(1), (b) => b === branch);
  if (column.kind !== "numeric") return { column, intervals: [], levels: accepted, missing };
  return { column, intervals: intervalsOf(edges, accepted), levels: [], missing };
}

function intervalsOf(edges, accepted) {
  const bounds = [-Infinity, ...edges, Infinity];
  const intervals = [];
  accepted.forEach((inside, code) => {
    if (!inside) return;
    const last = intervals.at(-1);
    if (last && last[1] === bounds[code] && accepted[code - 1]) last[1] = bounds[code + 1];
    else intervals.push([bounds[code], bounds[code + 1]]);
  });
  return intervals.filter(([low, high]) => low < high);
}

/** What both accept of the same column. */
export function intersect(a, b) {
  const met = a.intervals.flatMap((x) => b.intervals.map((y) => [Math.max(x[0], y[0]), Math.min(x[1], y[1])]));
  const ways = [a.missing, b.missing];
  return {
    column: a.column,
    intervals: met.filter(([low, high]) => low < high),
    levels: a.levels.map((inside, code) => inside && b.levels[code]),
    missing: ways.includes("elsewhere") ? "elsewhere" : ways.includes("shared") ? "shared" : "here",
    seen: a.seen && b.seen,
  };
}

/** The tests on the way to a node, those of one column joined, in the order of first use. */
export function regionsOf(tree, v) {
  const regions = new Map();
  const path = tree.path(v);
  path.slice(1).forEach((child, i) => {
    const split = tree.split(path[i]);
    const region = { ...regionOf(split, tree.branch(child)), seen: tree.missingAt(path[i]) > 0 };
    const before = regions.get(split.place);
    regions.set(split.place, before ? intersect(before, region) : region);
  });
  return [...regions.values()];
}

// ---- words ---------------------------------------------------------------------------------------------------------

/**
 * The test that leads to a node, without the name of its column: "≤ 2.45", "Female", "red, green +3 or missing"; with
 * no levels named, "other (5)".
 */
export function edgeText(tree, v, mostLevels = 3) {
  const { words, region } = edgeWords(tree, v, mostLevels);
  return `${words}${orMissing(region)}`;
}

/**
 * The same without its last words, where rows without a value went in training (nothing if there were none), and
 * whether the branch takes most levels, so that it may be called other.
 */
export function edgeWords(tree, v, mostLevels) {
  const above = tree.parent[v];
  const split = tree.split(above);
  const region = reachable(tree, above, { ...regionOf(split, tree.branch(v)), seen: tree.missingAt(above) > 0 });
  const soft = split.bounds ? ` [${split.bounds.map((x) => formatThreshold(x, split.column.unit)).join(", ")}]` : "";
  const words = mostLevels ? bareWords(region, mostLevels) : counted(split, region, tree.branch(v));
  const missing = region.seen && !boundary(region) ? region.missing : "elsewhere";
  return { words: `${words}${soft}`, region, missing, nLevels: codesOf(region).length, isRest: takesMost(split, region, tree.branch(v)) };
}

/** Without levels that the path to a node has sent elsewhere before, unless none would be left. */
function reachable(tree, v, region) {
  const before = region.levels.length ? regionsOf(tree, v).find(({ column }) => column === region.column) : null;
  const levels = before ? region.levels.map((inside, code) => inside && before.levels[code]) : region.levels;
  return levels.some(Boolean) ? { ...region, levels } : region;
}

/** How many levels a branch takes; the one that takes most takes the others. */
function counted(split, region, branch) {
  const codes = codesOf(region);
  if (region.column.kind === "numeric" || codes.length < 2) return bareWords(region, 1);
  return takesMost(split, region, branch) ? `other (${codes.length})` : `${codes.length} levels`;
}

function takesMost(split, region, branch) {
  const elsewhere = Array.from(split.branchOf.subarray(1)).filter((b) => b !== branch && b >= 0).length;
  return region.column.kind !== "numeric" && codesOf(region).length > Math.max(1, elsewhere);
}

/** The same with the name of the column. */
export function conditionText(tree, v, mostLevels = Infinity) {
  const above = tree.parent[v];
  const split = tree.split(above);
  const region = { ...regionOf(split, tree.branch(v)), seen: tree.missingAt(above) > 0 };
  return phrase(region, mostLevels);
}

/** A region in words, "30 < age ≤ 50 or missing". */
export function phrase(region, mostLevels = Infinity) {
  const name = oneLine(region.column.name);
  const special = boundary(region);
  if (special) return `${name} ${special}`;
  return `${named(region, name, mostLevels)}${orMissing(region)}`;
}

function orMissing(region) {
  if (!region.seen || boundary(region)) return "";
  return { here: " or missing", shared: " or missing (shared)", elsewhere: "" }[region.missing];
}

/** Words for a region that accepts every known value, or none. */
function boundary(region) {
  const { column, intervals, levels, missing } = region;
  const along = missing !== "elsewhere";
  if (!intervals.length && !levels.some(Boolean)) return along ? "is missing" : "in {}";
  const isAll = column.kind === "numeric" ? intervals[0][0] === -Infinity && intervals[0][1] === Infinity : levels.every(Boolean);
  return isAll ? (along ? "is anything" : "is known") : "";
}

function named(region, name, mostLevels) {
  if (region.column.kind === "numeric") return numericWords(region, name);
  const codes = codesOf(region);
  const { levels } = region.column;
  if (region.column.kind === "ordinal" && codes.at(-1) - codes[0] === codes.length - 1) return rangeWords(levels, codes, name);
  if (codes.length === 1) return `${name} = ${levelText(levels[codes[0]])}`;
  return `${name} in {${listed(levels, codes, mostLevels)}}`;
}

function bareWords(region, mostLevels) {
  const special = boundary(region);
  if (special) return special.replace(/^is /, "");
  if (region.column.kind === "numeric") return numericWords(region, "").trim();
  const codes = codesOf(region);
  const { levels } = region.column;
  if (region.column.kind === "ordinal" && codes.length > 1 && codes.at(-1) - codes[0] === codes.length - 1) {
    return rangeWords(levels, codes, "").trim();
  }
  return listed(levels, codes, mostLevels);
}

function codesOf(region) {
  return region.levels.flatMap((inside, code) => (inside ? [code] : []));
}

function listed(levels, codes, most) {
  const shown = codes.slice(0, most).map((code) => levelText(levels[code])).join(", ");
  return codes.length > most ? `${shown} +${codes.length - most}` : shown;
}

function numericWords(region, name) {
  const text = (x) => cutText(region.column, x);
  const words = region.intervals.map(([low, high]) => {
    if (low === -Infinity) return `${name} ≤ ${text(high)}`;
    if (high === Infinity) return `${name} > ${text(low)}`;
    return name ? `${text(low)} < ${name} ≤ ${text(high)}` : `${text(low)} to ${text(high)}`;
  });
  return words.join(" or ");
}

/** Neighbouring levels of an ordinal column, which are never all of them. */
function rangeWords(levels, codes, name) {
  const [first, last] = [codes[0], codes.at(-1)];
  if (first === 0) return `${name} ≤ ${levelText(levels[last])}`;
  const below = levelText(levels[first - 1]);
  if (last === levels.length - 1) return `${name} > ${below}`;
  const high = levelText(levels[last]);
  if (first === last) return `${name} = ${high}`;
  return name ? `${below} < ${name} ≤ ${high}` : `${levelText(levels[first])} to ${high}`;
}

/** "if outlook = Sunny and (humidity ≤ 75 or missing) then play = yes". */
export function ruleText(tree, v) {
  const regions = regionsOf(tree, v);
  const words = regions.map((region) => {
    const text = phrase(region);
    return text.includes(" or ") && regions.length > 1 && !boundary(region) ? `(${text})` : text;
  });
  const start = words.length ? `if ${words.join(" and ")} then` : "always";
  return `${start} ${tree.targetName} = ${tree.answer(v)}`;
}

// ---- SQL and pandas ------------------------------------------------------------------------------------------------

/** The rows of a node as a condition of SQL; where some rows go by what it cannot say, a comment says so. */
export function sqlText(tree, v) {
  const parts = regionsOf(tree, v).map((region) => columnFilter(region, SQL));
  return [parts.join("\n  AND ") || "TRUE", ...remarks(tree, v).map((remark) => `-- ${remark}`)].join("\n");
}

/** The rows of a node as a filter of a pandas data frame called df. */
export function pandasText(tree, v) {
  const parts = regionsOf(tree, v).map((region) => `(${columnFilter(region, PANDAS)})`);
  const filter = parts.length ? `df[${parts.join("\n   & ")}]` : "df";
  return [filter, ...remarks(tree, v).map((remark) => `# ${remark}`)].join("\n");
}

/** One column's part. Levels that training did not see count as missing, so where these pass the others are named. */
function columnFilter(region, language) {
  const { column, intervals, levels } = region;
  const name = language.name(column.name);
  const along = region.missing === "here";
  const nothing = !intervals.length && !levels.some(Boolean);
  if (column.kind === "numeric") {
    if (nothing) return along ? language.missing(name) : language.never;
    const tests = intervals.map(([low, high]) => interval(name, low, high, column.unit, language));
    if (tests.includes("")) return along ? language.always(name) : language.known(name);
    return language.any([...tests, ...(along ? [language.missing(name)] : [])]);
  }
  const chosen = column.levels.filter((_, code) => levels[code] !== along);
  if (!along) return chosen.length ? language.among(name, chosen) : language.never;
  return chosen.length ? language.notAmong(name, chosen) : language.always(name);
}

function interval(name, low, high, unit, language) {
  const tests = [];
  if (low > -Infinity) tests.push(`${name} > ${language.number(low, unit)}`);
  if (high < Infinity) tests.push(`${name} <= ${language.number(high, unit)}`);
  return language.all(tests);
}

function seconds(x, unit) {
  return unit === "date" ? Math.floor(x) * 86400 : x;
}

const SQL = {
  never: "FALSE",
  name: (name) => `"${name.replaceAll('"', '""')}"`,
  missing: (name) => `${name} IS NULL`,
  known: (name) => `${name} IS NOT NULL`,
  always: () => "TRUE",
  all: (tests) => tests.join(" AND "),
  any: (tests) => (tests.length > 1 ? `(${tests.map((test) => (test.includes(" AND ") ? `(${test})` : test)).join(" OR ")})` : tests[0]),
  among: (name, levels) => (levels.length === 1 ? `${name} = ${sqlLevel(levels[0])}` : `${name} IN (${levels.map(sqlLevel).join(", ")})`),
  notAmong: (name, levels) => `(${name} NOT IN (${levels.map(sqlLevel).join(", ")}) OR ${name} IS NULL)`,
  number: (x, unit) => {
    if (unit === "number") return String(x);
    if (unit === "duration") return `INTERVAL '${x} seconds'`;
    return `TIMESTAMP '${new Date(Math.floor(1000 * seconds(x, unit))).toISOString().replace("T", " ").slice(0, 23)}'`;
  },
};

function sqlLevel(level) {
  if (typeof level === "string") return `'${level.replaceAll("'", "''")}'`;
  return typeof level === "boolean" ? String(level).toUpperCase() : String(level);
}

const PANDAS = {
  never: "False & df.index.notna()",
  name: (name) => `df[${pythonText(name)}]`,
  missing: (name) => `${name}.isna()`,
  known: (name) => `${name}.notna()`,
  always: (name) => `${name}.isna() | ${name}.notna()`,
  all: (tests) => (tests.length > 1 ? tests.map((test) => `(${test})`).join(" & ") : tests.join("")),
  any: (tests) => (tests.length > 1 ? tests.map((test) => `(${test})`).join(" | ") : tests[0]),
  among: (name, levels) => (levels.length === 1 ? `${name} == ${pythonLevel(levels[0])}` : `${name}.isin([${levels.map(pythonLevel).join(", ")}])`),
  notAmong: (name, levels) => `~${name}.isin([${levels.map(pythonLevel).join(", ")}])`,
  number: (x, unit) => {
    if (unit === "number") return String(x);
    if (unit === "duration") return `pd.Timedelta(seconds=${x})`;
    return `pd.Timestamp("${new Date(Math.floor(1000 * seconds(x, unit))).toISOString().slice(0, 23)}")`;
  },
};

/** A text as Python writes it: JSON's escapes are Python's too, but those beyond the first plane. */
function pythonText(text) {
  return JSON.stringify(text).replaceAll("\u007f", "\\u007f");
}

function pythonLevel(level) {
  if (typeof level === "string") return pythonText(level);
  return typeof level === "boolean" ? (level ? "True" : "False") : String(level);
}

/** What a filter cannot say: where rows go in parts, or by surrogates. */
function remarks(tree, v) {
  const found = new Set();
  for (const u of tree.path(v).slice(0, -1)) {
    const { column, branchOf, bounds } = tree.split(u);
    const name = oneLine(column.name);
    if (branchOf[0] === EVERY_BRANCH) found.add(`rows without ${name} go down every branch by share, and are left out here`);
    if (branchOf[0] === STOP) found.add(`rows without ${name} stop before they come here`);
    if (tree.surrogatesOf(u).length) found.add(`rows without ${name} go by surrogates, which this does not ask`);
    if (branchOf.includes(AS_MISSING)) found.add(`levels of ${name} that node ${u} did not see go as missing values do`);
    if (bounds) found.add(`the threshold of ${name} is soft: rows near it go both ways`);
  }
  return [...found];
}

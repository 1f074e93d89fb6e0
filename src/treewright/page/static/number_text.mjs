// Numbers and names as people write them. The same text as treewright's prints: explain/number_text.py has the rules.

const WHOLE = 1e15; // below this a float still tells neighbouring halves apart
const CALENDAR = 1e14; // days or seconds from 1970 that still have a date
const SPECIAL = /[,{}'"]/;
const UNPRINTABLE = /[\p{C}\p{Zl}\p{Zp}]|(?! )\p{Zs}/gu;

/** As Python's format(x, ".{digits}g") has it. */
export function general(x, digits) {
  if (x === 0) return Object.is(x, -0) ? "-0" : "0";
  const exponent = Number(x.toExponential(digits - 1).split("e")[1]);
  if (exponent < -4 || exponent >= digits) {
    const [mantissa, power] = x.toExponential(digits - 1).split("e");
    const size = String(Math.abs(Number(power))).padStart(2, "0");
    return `${trimmed(mantissa)}e${power.startsWith("-") ? "-" : "+"}${size}`;
  }
  return trimmed(fixed(x, Math.max(0, digits - 1 - exponent)));
}

/** So many decimals; of two that are equally near the even one, as Python has it. */
function fixed(x, decimals) {
  const text = x.toFixed(decimals);
  const isTie = Number.isInteger(x * 2 ** (decimals + 1)) && Math.abs((x * 10 ** decimals) % 1) === 0.5;
  if (!isTie || Number(text.at(-1)) % 2 === 0) return text;
  return (Number(text) - Math.sign(x) * 10 ** -decimals).toFixed(decimals);
}

function trimmed(text) {
  return text.includes(".") ? text.replace(/0+$/, "").replace(/\.$/, "") : text;
}

/** At most so many significant digits, but whole numbers and halves as they are. */
export function formatNumber(x, digits = 6) {
  if (!Number.isFinite(x)) return Number.isNaN(x) ? "nan" : x > 0 ? "inf" : "-inf";
  if (Math.abs(x) < WHOLE && Number.isInteger(2 * x)) return trimmed((x + 0).toFixed(1));
  if (10 ** digits <= Math.abs(x) && Math.abs(x) < WHOLE) return fixed(x, 0);
  return general(x, digits);
}

/** The shortest text that reads back as the same number. */
export function exactNumber(x) {
  return String(x);
}

/** So many decimals, without the zeros that say nothing. */
export function formatRounded(x, decimals) {
  const text = Math.abs(x) < WHOLE ? trimmed(fixed(x, decimals)) : general(x, 6);
  return text === "-0" ? "0" : text;
}

/** A threshold in the unit of its column. */
export function formatThreshold(x, unit, digits = 6) {
  if (unit === "date") return instant(x * 86400).slice(0, 10) || formatNumber(x);
  if (unit === "datetime") return instant(x) || formatNumber(x);
  if (unit === "duration") return duration(x);
  return formatNumber(x, digits);
}

function instant(seconds) {
  if (!(Math.abs(seconds) <= Math.min(CALENDAR, 8.64e12))) return "";
  return new Date(Math.floor(seconds) * 1000).toISOString().slice(0, 19).replace("T", " ");
}

function duration(x) {
  const seconds = Math.abs(x);
  const days = Math.floor(seconds / 86400);
  const parts = [Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, Math.floor(seconds % 60)];
  const fraction = trimmed((seconds % 1).toFixed(6)).slice(1);
  const clock = parts.map((part) => String(part).padStart(2, "0")).join(":") + fraction;
  const sign = x < 0 ? "-" : "";
  return sign + (days ? `${days} day${days === 1 ? "" : "s"} ${clock}` : clock);
}

/** A cut of a column as the tree prints it: it separates the same training rows. */
export function cutText(column, cut) {
  const printed = column.cuts?.get(cut) ?? cut;
  if (typeof printed === "string") return printed;
  return column.unit === "number" ? shortestNumber(printed) : formatThreshold(printed, column.unit);
}

/** The fewest digits, six at least, that read back as the same number. */
function shortestNumber(x) {
  for (let digits = 6; digits < 17; digits += 1) {
    const text = formatNumber(x, digits);
    if (Number(text) === x) return text;
  }
  return Number.isFinite(x) ? formatNumber(x, 17) : formatNumber(x);
}

/** Whole numbers with separators of thousands. */
export function formatCount(n) {
  return Number.isInteger(n) ? n.toLocaleString("en-US") : formatNumber(n, 4);
}

export function plural(n, one, many = `${one}s`) {
  return `${formatCount(n)} ${n === 1 ? one : many}`;
}

/** A share in per cent; only nothing is 0 % and only everything is 100 %. */
export function formatShare(share) {
  if (share > 0 && share < 0.01) return "<1 %";
  if (share > 0.99 && share < 1) return ">99 %";
  return `${fixed(100 * share, 0)} %`;
}

/** Text that cannot break a line. */
export function oneLine(text) {
  return text.replace(UNPRINTABLE, (c) => {
    const code = c.codePointAt(0);
    const short = { 9: "\\t", 10: "\\n", 13: "\\r" }[code];
    if (short) return short;
    if (code < 256) return `\\x${code.toString(16).padStart(2, "0")}`;
    return code < 65536 ? `\\u${code.toString(16).padStart(4, "0")}` : `\\U${code.toString(16).padStart(8, "0")}`;
  });
}

/** A level on one line, quoted only where it would otherwise be misread. */
export function levelText(level) {
  if (typeof level === "boolean") return level ? "True" : "False";
  if (typeof level === "number") return Number.isInteger(level) ? String(level) : exactNumber(level);
  const text = oneLine(level);
  return !text.trim() || text !== text.trim() || SPECIAL.test(text) ? quoted(text) : text;
}

function quoted(text) {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  return mark + text.replaceAll("\\", "\\\\").replaceAll(mark, `\\${mark}`) + mark;
}

/** At most so many characters, the middle left out. */
export function shortened(text, most) {
  const letters = text.length > 4 * most ? [...text.slice(0, 2 * most), ...text.slice(-2 * most)] : [...text];
  if (letters.length <= most) return text;
  const end = Math.floor((most - 1) / 3);
  return `${letters.slice(0, most - 1 - end).join("")}…${letters.slice(letters.length - end).join("")}`;
}

/** A p-value of any size, from its logarithm. */
export function pText(logP) {
  if (logP > -700 || logP === -Infinity) return general(Math.exp(logP), 3);
  const exponent = Math.floor(logP / Math.LN10);
  return `${general(Math.exp(logP - exponent * Math.LN10), 2)}e${exponent}`;
}

/** The value of a row in words. */
export function valueText(column, value) {
  if (value === null) return "missing";
  return column.kind === "numeric" ? formatThreshold(value, column.unit, 12) : levelText(column.levels[value - 1]);
}

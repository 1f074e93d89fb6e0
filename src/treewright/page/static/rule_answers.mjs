// What rules say of a row: the first that is met, the votes, or the mean of all that are met.

/** A condition of the view as a region of its column. */
function regionIn(view, [place, intervals, codes, missing]) {
  const column = view.columns[place];
  const ends = intervals.map(([low, high]) => [low ?? -Infinity, high ?? Infinity]);
  return { column, place, intervals: ends, levels: column.levels.map((_, code) => codes.includes(code)), missing: missing ? "here" : "elsewhere", seen: true };
}

/** Whether a row meets a condition. */
export function meets(region, row) {
  const value = row[region.place];
  if (value === null) return region.missing === "here";
  if (region.column.kind !== "numeric") return region.levels[value - 1];
  return region.intervals.some(([low, high]) => value > low && value <= high);
}

/** The rules as the page uses them. */
export function rulesOf(view) {
  return view.rules.map((rule) => ({ ...rule, regions: rule.conditions.map((condition) => regionIn(view, condition)) }));
}

/** The place of the first rule that a row meets, -1 where it meets none. */
export function firstMet(rules, row) {
  return rules.findIndex((rule) => rule.regions.every((region) => meets(region, row)));
}

/**
 * Of rules that vote: the place of the rule that speaks for the class that wins, -1 where none is met, the class, how
 * sure they are of it, and the shares of the classes.
 */
export function votedFor(rules, otherwise, nClasses, row) {
  const met = rules.map((_, place) => place).filter((place) => rules[place].regions.every((region) => meets(region, row)));
  if (!met.length) return { place: -1, label: otherwise.answer, confidence: 0.5, shares: Array(nClasses).fill(1 / nClasses) };
  const sums = Array(nClasses).fill(0);
  const speakers = Array(nClasses).fill(-1);
  for (const place of met) {
    const { answer, vote, weight } = rules[place];
    sums[answer] += vote;
    const best = rules[speakers[answer]];
    if (!best || weight < best.weight || (weight === best.weight && vote > best.vote)) speakers[answer] = place;
  }
  const most = Math.max(...sums);
  const winner = sums[otherwise.answer] === most ? otherwise.answer : sums.indexOf(most);
  const values = sums.map((sum, k) => {
    const own = speakers[k] < 0 ? 0 : rules[speakers[k]].vote / 1000;
    const mean = sum / (1000 * met.length);
    return k === winner ? Math.max(own, mean) : Math.min(own, mean);
  });
  const whole = values.reduce((sum, value) => sum + value, 0);
  return { place: speakers[winner], label: winner, confidence: values[winner], shares: values.map((value) => value / whole) };
}

/** What the linear model of a rule says of a row, limited; ``isSingle``: of columns in 32 bits, as Cubist computes. */
function modelled({ intercept, terms, low, high }, row, isSingle) {
  const sum = terms.reduce((total, [place, slope, missing, scores]) => {
    const cell = row[place];
    const counted = cell === null ? missing : scores.length ? scores[cell - 1] : cell;
    return total + slope * (isSingle ? Math.fround(counted) : counted);
  }, isSingle ? intercept : 0);
  return Math.min(Math.max(isSingle ? sum : sum + intercept, low ?? -Infinity), high ?? Infinity);
}

function numberOf(rule, row, isSingle) {
  return rule.model ? modelled(rule.model, row, isSingle) : rule.value[0];
}

/** What a rule set says of a row: the place of the rule that decides (-1: the last), those that count, and the value. */
export function answerOfRules(view, rules, row) {
  const isSingle = view.answer === "mean" && view.single;
  if (view.answer === "vote") {
    const { place, label, confidence, shares } = votedFor(rules, view.otherwise, view.target.classes.length, row);
    return { place, met: place < 0 ? [] : [rules[place]], value: shares, label, confidence };
  }
  if (view.answer === "mean") {
    const met = rules.filter((rule) => rule.regions.every((region) => meets(region, row)));
    if (!met.length) return { place: -1, met, value: [numberOf(view.otherwise, row, isSingle)] };
    const mean = met.reduce((sum, rule) => sum + numberOf(rule, row, isSingle), 0) / met.length;
    return { place: rules.indexOf(met[0]), met, value: [isSingle ? Math.fround(mean) : mean] };
  }
  const place = firstMet(rules, row);
  const rule = place < 0 ? view.otherwise : rules[place];
  return { place, met: place < 0 ? [] : [rule], value: view.target.classes ? rule.value : [numberOf(rule, row, false)] };
}

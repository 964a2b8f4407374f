/** A parser of untrusted text. */
export type Parser = {
  /** What its inputs consist of: separators, quotes and beginnings that wait for an end. */
  pieces: string[];
  /** Puts the pieces into a whole input. */
  around?: (pieces: string) => string;
  /** Longer inputs are rejected before they get here. */
  charsMax?: number;
  run: (text: string) => unknown;
};

/** Pieces of HTML. */
export const HTML = [
  "<",
  ">",
  "<a ",
  "<a href='",
  "<b>",
  "</b>",
  "<!--",
  "-->",
  "&",
  "&#",
  ";",
  '"',
  "=",
  " ",
  "a",
  "/",
  "<table><tr><td>",
  "<style>",
  "<![CDATA[",
  "cid:",
  "\n",
];

/** Pieces of MIME bodies with the boundary `b`. */
export const MIME = [
  "--b\r\n",
  "--b--\r\n",
  "\r\n",
  "a: b\r\n",
  " \t\r\n",
  "--",
  "=\r\n",
  "=4",
  "\r\n.",
  "-- \r\n",
];

const CHARS_MAX = 32 * 1024;
/** What takes less at full length isn't measured. */
const NEGLIGIBLE_MS = 10;
/** The clock of CPU time is coarse, so short runs are repeated until they have taken this long. */
const MEASURABLE_MS = 16;
const RUNS_MAX = 100;
/** Twice the length may take twice the time, and something for the garbage collector. */
const GROWTH_MAX = 3;
const RETRIES = 3;

const ignoringErrors = (run: Parser["run"]) => async (text: string) => {
  try {
    await run(text);
  } catch {
    // Only the time counts.
  }
};

/** Each piece alone, and with some others: all pairs would take minutes. */
const inputsOf = (pieces: string[]) =>
  pieces.flatMap((one, at) => [
    one,
    ...[1, 3].map((distance) => one + pieces[(at + distance) % pieces.length]!),
  ]);

/**
 * Measures whether the time to parse grows faster than the length.
 *
 * @returns the inputs for which it does, with the factor per doubling
 */
export async function findFastGrowth(parser: Parser): Promise<string[]> {
  const found: string[] = [];
  for (const unit of new Set(inputsOf(parser.pieces))) {
    const growth = await measureGrowth({ ...parser, run: ignoringErrors(parser.run) }, unit);
    if (growth > GROWTH_MAX) found.push(`${JSON.stringify(unit)}: ${growth.toFixed(1)}`);
  }
  return found;
}

/**
 * Time at 2n divided by time at n, over two doublings; 1 if even the longest input takes no time worth measuring. What
 * seems to grow fast is measured again with longer inputs, as its memory may only have outgrown a cache.
 */
async function measureGrowth(parser: Parser, unit: string): Promise<number> {
  const { run, around = (pieces: string) => pieces, charsMax } = parser;
  const inputOf = (chars: number) =>
    around(unit.repeat(Math.ceil(chars / unit.length)).slice(0, chars));
  const chars = charsMax ?? CHARS_MAX;
  const long = inputOf(chars);
  const start = performance.now();
  await run(long);
  if (performance.now() - start < NEGLIGIBLE_MS) return 1;
  const growth = await growthBetween(run, inputOf(chars / 4), long);
  if (growth <= GROWTH_MAX || charsMax !== undefined) return growth;
  return growthBetween(run, long, inputOf(4 * chars));
}

/** The growth per doubling from an input to one four times as long. The shortest of several times counts. */
async function growthBetween(run: Parser["run"], short: string, long: string): Promise<number> {
  let [once, fourTimes, growth] = [Infinity, Infinity, Infinity];
  for (let retry = 0; retry <= RETRIES && growth > GROWTH_MAX; retry++) {
    once = Math.min(once, await cpuMsOf(run, short));
    fourTimes = Math.min(fourTimes, await cpuMsOf(run, long));
    if (fourTimes < NEGLIGIBLE_MS) return 1;
    growth = Math.sqrt(fourTimes / once);
  }
  return growth;
}

/** CPU time of this thread, which other programs on the machine don't change. */
async function cpuMsOf(run: Parser["run"], text: string): Promise<number> {
  const start = process.threadCpuUsage();
  for (let runs = 1; ; runs++) {
    await run(text);
    const { user, system } = process.threadCpuUsage(start);
    const ms = (user + system) / 1_000;
    if (ms >= MEASURABLE_MS || runs === RUNS_MAX) return ms / runs;
  }
}

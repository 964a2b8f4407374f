/** A piece of text that is in both, only in the expected, or only in the found text. */
type Piece = { text: string; mark: "same" | "missing" | "extra" };

/** Both texts in full, split where they differ. */
export type Difference = { expected: Piece[]; found: Piece[] };

/** Bounds the table of character pairs: 1,500 × 1,500. */
const PAIRS_MAX = 2_250_000;

/**
 * Diffs two texts by character, marking as little as possible. Long texts only get their common prefix and suffix
 * stripped.
 */
export function diffTexts(expected: string, found: string): Difference {
  const [one, other] = [Array.from(expected), Array.from(found)];
  const start = countCommon(one, other, (text, at) => text[at]);
  const end = countCommon(one.slice(start), other.slice(start), (text, at) => text.at(-1 - at));
  const middles = [one, other].map((text) => text.slice(start, text.length - end)) as Pair;
  const marks = compare(...middles);
  return {
    expected: pieces(one, start, end, marks[0], "missing"),
    found: pieces(other, start, end, marks[1], "extra"),
  };
}

type Pair = [string[], string[]];

function countCommon(
  one: string[],
  other: string[],
  at: (text: string[], place: number) => string | undefined,
): number {
  let count = 0;
  while (count < Math.min(one.length, other.length) && at(one, count) === at(other, count)) count++;
  return count;
}

/** Marks the characters of both texts that belong to their longest common subsequence. */
function compare(one: string[], other: string[]): [boolean[], boolean[]] {
  const marks: [boolean[], boolean[]] = [one.map(() => false), other.map(() => false)];
  if (one.length * other.length > PAIRS_MAX) return marks;
  const width = other.length + 1;
  const longest = new Uint16Array((one.length + 1) * width);
  for (let i = one.length - 1; i >= 0; i--)
    for (let j = other.length - 1; j >= 0; j--)
      longest[i * width + j] =
        one[i] === other[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
  for (let i = 0, j = 0; i < one.length && j < other.length;)
    if (one[i] === other[j]) marks[0][i++] = marks[1][j++] = true;
    else if (longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!) i++;
    else j++;
  // Unrelated keys share some characters by chance; showing those would be confusing.
  const isAlike = longest[0]! * 2 >= Math.min(one.length, other.length);
  return isAlike ? marks : [one.map(() => false), other.map(() => false)];
}

function pieces(
  text: string[],
  start: number,
  end: number,
  middle: boolean[],
  mark: "missing" | "extra",
): Piece[] {
  const isSame = (at: number) => at < start || at >= text.length - end || middle[at - start]!;
  const joined: Piece[] = [];
  text.forEach((character, at) => {
    const own = isSame(at) ? "same" : mark;
    const last = joined.at(-1);
    if (last?.mark === own) last.text += character;
    else joined.push({ text: character, mark: own });
  });
  return joined;
}

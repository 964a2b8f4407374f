import type { ParseStepResult, Parser } from "papaparse";

/** A line of the file that holds something. */
export type GivenLine = { line: number; text: string };

export const LINES_MAX = 100_000;
/** Octets read between two breaths of the page. */
const CHUNK = 256 * 1024;
const HEADS = /^\W*(e-?mail|mail|address|recipient)/i;

/**
 * Reads the addresses of a CSV file, or of a list of one address a line. They stand in the column whose
 * heading says so, else in the first one that has an at sign. The page goes on meanwhile.
 *
 * @returns the first 100,000 lines; `isCut` when there were more
 * @throws Error when the file cannot be read
 */
export async function readFile(
  file: File | string,
): Promise<{ lines: GivenLine[]; isCut: boolean }> {
  const { default: Papa } = await import("papaparse");
  return new Promise((resolve, reject) => {
    const lines: GivenLine[] = [];
    let column: number | undefined;
    let [line, isCut] = [0, false];

    function step({ data }: ParseStepResult<string[]>, parser: Parser) {
      line += 1;
      if (data.every((cell) => cell.trim() === "")) return;
      const isHead = column === undefined && data.some((cell) => HEADS.test(cell));
      column ??= isHead
        ? data.findIndex((cell) => HEADS.test(cell))
        : Math.max(
            0,
            data.findIndex((cell) => cell.includes("@")),
          );
      if (isHead && !(data[column] ?? "").includes("@")) return;
      isCut = lines.length >= LINES_MAX;
      if (isCut) parser.abort();
      else lines.push({ line, text: withoutDefusion((data[column] ?? "").trim()) });
    }

    const config = {
      step,
      delimitersToGuess: [",", ";", "\t", "|"],
      complete: () => resolve({ lines, isCut }),
    };
    if (typeof file === "string") Papa.parse<string[]>(file, config);
    else Papa.parse<string[]>(file, { ...config, chunkSize: CHUNK, error: reject });
  });
}

/** Files that defuse formulas put an apostrophe before what begins like one; ours do. */
const withoutDefusion = (text: string) => text.replace(/^\uFEFF?'(?=[=+\-@])/, "");

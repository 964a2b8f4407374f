import type { ParseStepResult, Parser } from "papaparse";

/** A non-empty line of the file. */
export type FileLine = { line: number; text: string };

export const LINES_MAX = 100_000;
/** Small enough to keep the page responsive between chunks. */
const CHUNK_BYTES = 256 * 1024;
const HEADER = /^\W*(e-?mail|mail|address|recipient)/i;

/**
 * Reads the addresses from a CSV file or from a text file with one address per line, without blocking the
 * page. Takes the column with an email header, or else the first one that contains an @.
 *
 * @returns the first 100,000 lines; `isCut` is true if there were more
 * @throws Error if the file can't be read
 */
export async function readAddressFile(
  file: File | string,
): Promise<{ lines: FileLine[]; isCut: boolean }> {
  const { default: Papa } = await import("papaparse");
  return new Promise((resolve, reject) => {
    const lines: FileLine[] = [];
    let column: number | undefined;
    let [line, isCut] = [0, false];

    function step({ data }: ParseStepResult<string[]>, parser: Parser) {
      line += 1;
      if (data.every((cell) => cell.trim() === "")) return;
      const isHeader = column === undefined && data.some((cell) => HEADER.test(cell));
      column ??= isHeader
        ? data.findIndex((cell) => HEADER.test(cell))
        : Math.max(
            0,
            data.findIndex((cell) => cell.includes("@")),
          );
      if (isHeader && !(data[column] ?? "").includes("@")) return;
      isCut = lines.length >= LINES_MAX;
      if (isCut) parser.abort();
      else lines.push({ line, text: unescapeFormula((data[column] ?? "").trim()) });
    }

    const config = {
      step,
      delimitersToGuess: [",", ";", "\t", "|"],
      complete: () => resolve({ lines, isCut }),
    };
    if (typeof file === "string") Papa.parse<string[]>(file, config);
    else Papa.parse<string[]>(file, { ...config, chunkSize: CHUNK_BYTES, error: reject });
  });
}

/** Removes the apostrophe that exports, including ours, put before values that look like formulas. */
const unescapeFormula = (text: string) => text.replace(/^\uFEFF?'(?=[=+\-@])/, "");

/**
 * Joins the lines of `format=flowed` text that a mail app broke (RFC 3676), within one quote depth. Quotes keep their
 * marks.
 *
 * @param text with LF line ends
 * @param isDelSp the space that marks a broken line isn't part of the text
 */
export function joinFlowedLines(text: string, { isDelSp }: { isDelSp: boolean }): string {
  const paragraphs: { depth: number; words: string[]; isOpen: boolean }[] = [];
  for (const line of text.split("\n")) {
    const depth = countMarks(line);
    // A space at the start was added to protect the line.
    const content = line.slice(line[depth] === " " ? depth + 1 : depth);
    const isSignature = content === "-- ";
    const isFlowed = content.endsWith(" ") && !isSignature;
    const words = isFlowed && isDelSp ? content.slice(0, -1) : content;
    const last = paragraphs.at(-1);
    if (!last?.isOpen || last.depth !== depth || isSignature)
      paragraphs.push({ depth, words: [words], isOpen: isFlowed });
    else {
      last.words.push(words);
      last.isOpen = isFlowed;
    }
  }
  return paragraphs.map(({ depth, words }) => quoted(depth, words.join(""))).join("\n");
}

const quoted = (depth: number, text: string): string =>
  depth === 0 ? text : `${">".repeat(depth)} ${text}`.trimEnd();

function countMarks(line: string): number {
  let count = 0;
  while (line[count] === ">") count++;
  return count;
}

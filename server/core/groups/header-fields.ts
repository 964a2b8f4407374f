/** A field of a message's header. */
export type HeaderField = {
  /** Lowercase. */
  name: string;
  /** As it stands there, folded, with its CRLF; each char is one octet. */
  raw: string;
};

export type SplitMessage = {
  fields: HeaderField[];
  /** What follows the header, the empty line before it included. */
  rest: Buffer;
};

/**
 * Takes the header of a message apart without changing an octet: the fields and the rest, put together
 * again, are the message. What is no field (RFC 5322, 2.2) is kept under the name "".
 */
export function splitMessage(content: Buffer): SplitMessage {
  const end = headerEnd(content);
  const header = content.subarray(0, end).toString("latin1");
  const lines = header.match(/[^\n]*(?:\n[ \t][^\n]*)*(?:\n|$)/g) ?? [];
  return {
    fields: lines
      .filter((line) => line !== "")
      .map((raw) => ({ name: /^([!-9;-~]+)[ \t]*:/.exec(raw)?.[1]?.toLowerCase() ?? "", raw })),
    rest: content.subarray(end),
  };
}

export function joinMessage({ fields, rest }: SplitMessage): Buffer {
  const header = fields.map(({ raw }) => raw).join("");
  return Buffer.concat([Buffer.from(header, "latin1"), rest]);
}

/** The values of the fields of one name, topmost first, unfolded and trimmed. */
export function valuesOf(fields: HeaderField[], name: string): string[] {
  return fields
    .filter((field) => field.name === name)
    .map(({ raw }) =>
      raw
        .slice(raw.indexOf(":") + 1)
        .replace(/\r?\n(?=[ \t])/g, "")
        .trim(),
    );
}

/** Where the empty line begins; a message without one is all header. */
function headerEnd(content: Buffer): number {
  if (content.subarray(0, 2).equals(CRLF)) return 0;
  const at = content.indexOf(EMPTY_LINE);
  return at === -1 ? content.length : at + CRLF.length;
}

const CRLF = Buffer.from("\r\n");
const EMPTY_LINE = Buffer.from("\r\n\r\n");

import { isUtf8 } from "node:buffer";

import { addressField } from "#server/core/sending/compose/compose-message.ts";
import {
  ADDRESS_PROBLEM,
  isUnambiguousAddress,
  readGivenAddress,
} from "#server/core/shared/addresses/given-address.ts";
import type { ParsedAddress } from "#server/core/shared/addresses/parse-address.ts";
import {
  HEADER_OCTETS_MAX,
  headerEnd,
  withoutMboxLine,
} from "#server/core/shared/mime/header-fields.ts";

import { SubmissionError } from "./submitter.ts";

export type SubmittedField = {
  /** Lowercase. */
  name: string;
  /** Unfolded, trimmed and decoded as UTF-8. */
  value: string;
  /** The whole field with its line ending. */
  bytes: Buffer;
};

const FIELDS_MAX = 500;

const windows1252 = new TextDecoder("windows-1252");

/**
 * Splits a message into its header fields and the rest, which begins with the empty line. Drops a line of the mbox format on
 * top, and rejects ambiguous headers, with lines that aren't fields. Fields that aren't UTF-8 (RFC 6532) are converted from Windows-1252, a superset of Latin-1: old
 * scanners and scripts send them.
 *
 * @param written with CRLF line endings
 * @throws SubmissionError
 */
export function readHeaderFields(written: Buffer): { fields: SubmittedField[]; rest: Buffer } {
  const content = withoutMboxLine(written);
  const length = headerEnd(content);
  if (length > HEADER_OCTETS_MAX) throw malformed("The message header is too large");
  const lines = content
    .subarray(0, length)
    .toString("latin1")
    .split(/(?<=\r\n)/);
  const folded: string[] = [];
  for (const line of lines) {
    if (line === "") continue;
    if (!/^[ \t]/.test(line)) folded.push(line);
    else if (folded.length === 0) throw malformed("The message header begins with a space");
    else folded.push(folded.pop()! + line);
  }
  if (folded.length > FIELDS_MAX) throw malformed("The message has too many header fields");
  return { fields: folded.map(toField), rest: content.subarray(length) };
}

function toField(text: string): SubmittedField {
  const [, name] = /^([!-9;-~]+)[ \t]*:/.exec(text) ?? [];
  if (name === undefined) throw malformed("The message header has a line that is not a field");
  const written = Buffer.from(text, "latin1");
  const bytes = isUtf8(written) ? written : Buffer.from(windows1252.decode(written));
  const value = bytes.toString("utf8", text.indexOf(":") + 1);
  return { name: name.toLowerCase(), value: value.replace(/\r\n(?=[ \t])/g, "").trim(), bytes };
}

const malformed = (text: string) => new SubmissionError("5.6.0", text);

export type SubmittedAuthor = {
  /** The address in From. */
  from: ParsedAddress;
  /** The address in Sender, if present. */
  sender: ParsedAddress | null;
  /** All fields of the header. From and Sender are rewritten if parsers could understand them differently. */
  fields: SubmittedField[];
};

/**
 * Reads the author of a submitted message. Requires one From with one address and at most one Sender, which may be
 * written as in the API.
 *
 * @throws SubmissionError
 */
export function readSubmittedAuthor(fields: SubmittedField[]): SubmittedAuthor {
  const from = fields.filter(({ name }) => name === "from");
  const sender = fields.filter(({ name }) => name === "sender");
  if (from.length !== 1)
    throw new SubmissionError("5.7.1", `The message must have one From field, not ${from.length}`);
  if (sender.length > 1)
    throw new SubmissionError("5.7.1", "The message must not have more than one Sender field");
  const author = readField("From", from[0]!);
  const agent = sender[0] ? readField("Sender", sender[0]) : null;
  return {
    from: author.address,
    sender: agent && agent.address,
    fields: fields.map((field) =>
      field === from[0] ? author.field : field === sender[0] ? agent!.field : field,
    ),
  };
}

function readField(
  name: "From" | "Sender",
  field: SubmittedField,
): { address: ParsedAddress; field: SubmittedField } {
  const text = field.value.replaceAll("\t", " ");
  const address = readGivenAddress(text);
  if (!address) throw new SubmissionError("5.7.1", `${name} ${ADDRESS_PROBLEM}`);
  if (isUnambiguousAddress(text)) return { address, field };
  const bytes = Buffer.from(addressField(name, [address]));
  return {
    address,
    field: {
      ...field,
      value: bytes
        .toString()
        .slice(name.length + 1)
        .trim(),
      bytes,
    },
  };
}

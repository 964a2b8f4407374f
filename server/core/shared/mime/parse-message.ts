import { fieldValue, headerFields } from "./header-fields.ts";
import { readMessage } from "./read-message.ts";

/** A part that isn't the message's text: a report, a file, an enclosed message. */
export type MessagePart = { type: string; content: Buffer };

export type ParsedMessage = {
  /** The message's own header fields, by lowercase name. */
  headers: Map<string, string[]>;
  text: string;
  parts: MessagePart[];
};

const PARTS_MAX = 20;

/** Parses a received message, one level deep: enclosed messages are parts. */
export function parseMessage(message: Buffer): ParsedMessage {
  const headers = new Map<string, string[]>();
  for (const field of headerFields(message).slice(0, FIELDS_MAX))
    headers.set(field.name, [
      ...(headers.get(field.name) ?? []),
      oneLine(fieldValue(message, field)),
    ]);
  const { text, files } = readMessage(message, { filesMax: PARTS_MAX });
  return { headers, text: text ?? "", parts: files };
}

/** Parses `Name: value` lines, such as a delivery status, unfolding long lines. */
export function readFieldLines(text: string): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const line of text.replace(/\r?\n[ \t]+/g, " ").split(/\r?\n/, FIELDS_MAX)) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    fields.set(name, [...(fields.get(name) ?? []), valueOf(line)]);
  }
  return fields;
}

const FIELDS_MAX = 500;
const VALUE_LENGTH_MAX = 4_000;

const valueOf = (line: string): string => oneLine(line.slice(line.indexOf(":") + 1));

const oneLine = (value: string): string =>
  value.replace(/\s+/g, " ").trim().slice(0, VALUE_LENGTH_MAX);

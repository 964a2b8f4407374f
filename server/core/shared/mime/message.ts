import { parseRecipient, readSenderDomain } from "#server/core/shared/addresses/parse-address.ts";

import { decodeWords } from "./encoded-words.ts";
import {
  fieldValue,
  headerEnd,
  type HeaderField,
  headerFields,
  piecesWithout,
  trimmed,
} from "./header-fields.ts";
import { type AddressItem, formatAddresses, splitAddressItems } from "./read-addresses.ts";

/** What a message's header says, for display and for decisions. */
export type HeaderFacts = {
  /** The address of the only From field, lowercase; null if there are none, several or an invalid one. */
  from: string | null;
  /** The display form of the From field: decoded, with names quoted where they need it; "" for none. */
  headerFrom: string;
  /** Decoded; "" for none. */
  subject: string;
  /** With its angle brackets. */
  messageId: string | null;
  /** The author's domain for DMARC; null unless there is one From field with one address. */
  fromDomain: string | null;
  /** Number of addresses in all From fields. Anything but one is ambiguous. */
  fromAddresses: number;
  /** More than one is invalid (RFC 5322, 3.6): a reader may show one while a filter checks another. */
  fromFields: number;
  hasSender: boolean;
};

/**
 * A message whose header is parsed once, on first use. Messages made from it by adding or removing fields aren't parsed
 * again.
 */
export class Message {
  readonly raw: Buffer;
  #fields: HeaderField[] | undefined;
  #header: HeaderFacts | undefined;

  constructor(raw: Buffer) {
    this.raw = raw;
  }

  /** In message order. */
  get fields(): HeaderField[] {
    return (this.#fields ??= headerFields(this.raw));
  }

  get header(): HeaderFacts {
    return (this.#header ??= readHeader(this));
  }

  /** With its angle brackets; null for none. */
  get messageId(): string | null {
    return shown(this.value("message-id") ?? "") || null;
  }

  /** @param name in lowercase */
  named(name: string): HeaderField[] {
    return this.fields.filter((field) => field.name === name);
  }

  /** The values of all fields of this name, as `fieldValue` returns them. */
  values(name: string): string[] {
    return this.named(name).map((field) => fieldValue(this.raw, field));
  }

  /** The value of the first field of this name; null for none. */
  value(name: string): string | null {
    const field = this.fields.find((one) => one.name === name);
    return field ? fieldValue(this.raw, field) : null;
  }

  /**
   * Returns a copy with `top` above the header and without the fields `removed`.
   *
   * @param top complete header fields, in Latin-1
   * @param removed in message order
   */
  withFields(top: string, removed: HeaderField[] = []): Message {
    if (top === "" && removed.length === 0) return this;
    const added = Buffer.from(top, "latin1");
    const message = new Message(Buffer.concat([added, ...piecesWithout(this.raw, removed)]));
    if (!this.#beginsWithField) return message;
    const addedFields = headerFields(added);
    message.#fields = [...addedFields, ...shifted(this.fields, removed, added.length)];
    if (![...addedFields, ...removed].some(({ name }) => FACTS.has(name)))
      message.#header = this.#header;
    return message;
  }

  /** @param removed in message order */
  without(removed: HeaderField[]): Message {
    return this.withFields("", removed);
  }

  /** If false, the first lines would continue a field that is put above them. */
  get #beginsWithField(): boolean {
    return this.fields[0]?.start === 0 || headerEnd(this.raw) === 0;
  }
}

function shifted(fields: HeaderField[], removed: HeaderField[], by: number): HeaderField[] {
  const gone = new Set(removed);
  let offset = by;
  return fields.flatMap((field) => {
    const { name, start, end } = field;
    if (gone.has(field)) {
      offset -= end - start;
      return [];
    }
    return [{ name, start: start + offset, end: end + offset }];
  });
}

/** The fields that determine `HeaderFacts`. */
const FACTS = new Set(["from", "sender", "subject", "message-id"]);

const SHOWN_LENGTH_MAX = 998;

/** Never throws. Limits the length of what it returns. */
function readHeader(message: Message): HeaderFacts {
  const from = message.values("from");
  const authors = from.map(readAuthor);
  const author = authors.length === 1 ? authors[0] : undefined;
  return {
    from: author?.address ?? null,
    fromDomain: author?.domain ?? null,
    fromAddresses: authors.reduce((sum, { addresses }) => sum + addresses, 0),
    headerFrom: from[0] === undefined ? "" : shown(formatAddresses(from[0], SHOWN_LENGTH_MAX)),
    subject: shown(decodeWords(message.value("subject") ?? "")),
    messageId: message.messageId,
    fromFields: from.length,
    hasSender: message.named("sender").length > 0,
  };
}

const shown = (text: string) =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .toWellFormed()
    .trim()
    .slice(0, SHOWN_LENGTH_MAX)
    .toWellFormed();

/** The author in a From field. */
type Author = {
  /** Lowercase; null unless there is exactly one valid address. Hosts with underscores or a single label aren't valid here. */
  address: string | null;
  /** The author's domain; null unless there is exactly one address. */
  domain: string | null;
  /** Number of addresses; text without @ isn't one. */
  addresses: number;
};

/**
 * Parses a From field as mail apps do, more leniently than RFC 5322: allows commas in a name, comments, and a
 * name that looks like an address. The address in angle brackets counts, or else the bare one.
 *
 * @param value in latin1, unfolded
 */
function readAuthor(value: string): Author {
  const found = splitAddressItems(value).filter(({ address }) => address !== null);
  const [first] = found;
  if (first === undefined || found.length > 1)
    return { address: null, domain: null, addresses: found.length };
  const address = plainAddress(first);
  // A semicolon ends a group, which is no author.
  const isGroup = first.inside === null && first.end === ";";
  const domain =
    isGroup || /[<>]/.test(address)
      ? null
      : readSenderDomain(address.slice(address.lastIndexOf("@") + 1));
  const written = address.startsWith("@") ? first.address! : address;
  return { address: domain && (parseRecipient(written)?.address ?? null), domain, addresses: 1 };
}

/** Without quoted text. */
function plainAddress({ plain }: AddressItem): string {
  const open = plain.indexOf("<");
  return trimmed(open === -1 ? plain : plain.slice(open + 1).replace(/>[^<>@]*$/, ""));
}

import { addressField } from "#server/core/sending/compose/compose-message.ts";
import {
  ADDRESS_PROBLEM,
  isUnambiguousAddress,
  readGivenAddress,
} from "#server/core/shared/addresses/given-address.ts";
import type { ParsedAddress } from "#server/core/shared/addresses/parse-address.ts";

import type { SubmittedField } from "./header-fields.ts";
import { SubmissionError } from "./submitter.ts";

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

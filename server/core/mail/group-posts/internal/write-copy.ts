import { fieldValue, type HeaderField } from "#server/core/shared/mime/header-fields.ts";
import type { Message } from "#server/core/shared/mime/message.ts";

import { type List, listFields } from "./list-fields.ts";

export type CopyOf = {
  list: List;
  /** Replies go to the group. */
  isRepliedToGroup: boolean;
  /** The group on this appliance that the message came through; null for none. */
  earlier: List | null;
};

/**
 * Writes the copy for a group's members: prepends our fields and leaves everything else unchanged, so that DKIM
 * signatures stay valid. List fields of outside lists are kept; those of another group on this appliance are
 * replaced. If replies go to the group, Reply-To is replaced, which breaks signatures that cover it; the ARC seal
 * makes up for that.
 */
export function writeCopy(message: Message, copy: CopyOf): Message {
  const { raw, fields } = message;
  const dropped = new Set(fields.filter((field) => isReplaced(raw, field, copy)));
  const kept = new Set(fields.filter((field) => !dropped.has(field)).map(({ name }) => name));
  const added = [
    { name: "Delivered-To", value: copy.list.address },
    ...listFields(copy.list).filter(({ name }) => !kept.has(name.toLowerCase())),
    ...(copy.isRepliedToGroup ? [{ name: "Reply-To", value: copy.list.address }] : []),
  ];
  const top = added.map(({ name, value }) => `${name}: ${value}\r\n`).join("");
  return message.withFields(top, [...dropped]);
}

function isReplaced(
  content: Buffer,
  field: HeaderField,
  { isRepliedToGroup, earlier }: CopyOf,
): boolean {
  if (field.name === "reply-to") return isRepliedToGroup;
  if (!earlier) return false;
  const value = fieldValue(content, field);
  if (field.name === "list-id") return true;
  return listFields(earlier).some(
    (ours) => ours.name.toLowerCase() === field.name && ours.value === value,
  );
}

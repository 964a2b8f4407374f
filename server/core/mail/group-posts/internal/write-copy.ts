import {
  fieldValue,
  type HeaderField,
  headerFields,
} from "#server/core/shared/mime/header-fields.ts";

import { type List, listFields } from "./list-fields.ts";

export type CopyOf = {
  list: List;
  /** An answer goes to the group. */
  isRepliedToGroup: boolean;
  /** The group of this appliance whose copy this is already; null for none. */
  earlier: List | null;
};

/**
 * The message as a group's members get it: our fields on top, everything else where and as it was, so
 * that its DKIM signatures hold. Of each list field there is one: what another list has set stays, what
 * a group of ours has set gives way. Reply-To gives way where answers go to the group; that alone breaks
 * a signature that covers it, and the ARC seal speaks for the message then.
 */
export function writeCopy(content: Buffer, copy: CopyOf): Buffer {
  const fields = headerFields(content);
  const dropped = new Set(fields.filter((field) => isReplaced(content, field, copy)));
  const kept = new Set(fields.filter((field) => !dropped.has(field)).map(({ name }) => name));
  const added = [
    { name: "Delivered-To", value: copy.list.address },
    ...listFields(copy.list).filter(({ name }) => !kept.has(name.toLowerCase())),
    ...(copy.isRepliedToGroup ? [{ name: "Reply-To", value: copy.list.address }] : []),
  ];
  const top = added.map(({ name, value }) => `${name}: ${value}\r\n`).join("");
  return Buffer.concat([Buffer.from(top, "latin1"), withoutFields(content, [...dropped])]);
}

/** The message without some of its fields. */
export function withoutFields(content: Buffer, fields: HeaderField[]): Buffer {
  const pieces: Buffer[] = [];
  let at = 0;
  for (const { start, end } of fields) {
    pieces.push(content.subarray(at, start));
    at = end;
  }
  return Buffer.concat([...pieces, content.subarray(at)]);
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

"use client";

import { TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { SIZE_HELP, parseSizeMb } from "#app/console/(pages)/mailboxes/mailbox-labels.ts";
import { type MailboxRow, mailboxOptionsQuery } from "#app/console/(pages)/mailboxes/queries.ts";
import { UnitSelect } from "#app/console/(pages)/mailboxes/unit-select.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/universal/mailbox-sizes.ts";

import type { BulkActionName, BulkActionInput } from "./bulk-actions.ts";

const NONE = { id: 0, name: "Select a unit", depth: 0, mayCreate: false, mayUpdate: true };

export function BulkActionOptions({
  name,
  mailboxes,
  choice,
  onChoose,
}: {
  name: BulkActionName;
  mailboxes: MailboxRow[];
  choice: BulkActionInput;
  onChoose: (choice: BulkActionInput) => void;
}) {
  if (name === "move") return <UnitOption choice={choice} onChoose={onChoose} />;
  if (name === "resize") return <SizeOption mailboxes={mailboxes} onChoose={onChoose} />;
  return null;
}

function UnitOption({
  choice,
  onChoose,
}: {
  choice: BulkActionInput;
  onChoose: (choice: BulkActionInput) => void;
}) {
  const { data: options } = useQuery(mailboxOptionsQuery);
  const units = options?.units.filter((unit) => unit.mayUpdate) ?? [];
  return (
    <UnitSelect
      units={[{ ...NONE, depth: Math.min(...units.map(({ depth }) => depth), 9) }, ...units]}
      value={String(choice.unit?.id ?? 0)}
      onChange={(id) => {
        const unit = units.find((one) => String(one.id) === id);
        onChoose(unit ? { unit: { id: unit.id, name: unit.name } } : {});
      }}
      error={null}
    />
  );
}

function SizeOption({
  mailboxes,
  onChoose,
}: {
  mailboxes: MailboxRow[];
  onChoose: (choice: BulkActionInput) => void;
}) {
  const { data: options } = useQuery(mailboxOptionsQuery);
  const [text, setText] = useState("");
  const most = Math.min(options?.quotaMbMax ?? QUOTA_MB_MAX, QUOTA_MB_MAX);
  const size = parseSizeMb(text);
  const isWrong = size !== undefined && (size < QUOTA_MB_MIN || size > most);
  return (
    <TextInput
      label="Storage limit in MB"
      description={`From ${QUOTA_MB_MIN} to ${formatCount(most)}. ${SIZE_HELP}`}
      placeholder={String(mailboxes[0]?.quotaMb ?? 10_240)}
      value={text}
      inputMode="numeric"
      autoComplete="off"
      error={isWrong && `Must be a whole number from ${QUOTA_MB_MIN} to ${formatCount(most)}`}
      onChange={(event) => {
        const typed = event.currentTarget.value;
        setText(typed);
        const sizeMb = parseSizeMb(typed);
        const isUsable = sizeMb !== undefined && sizeMb >= QUOTA_MB_MIN && sizeMb <= most;
        onChoose(isUsable ? { sizeMb } : {});
      }}
      data-autofocus
    />
  );
}

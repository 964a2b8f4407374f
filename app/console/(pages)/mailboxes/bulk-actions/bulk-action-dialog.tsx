import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type SubmitEvent, useState } from "react";

import { parseSizeMb, SIZE_HELP } from "#app/console/(pages)/mailboxes/labels.ts";
import { DeliverToField } from "#app/console/(pages)/mailboxes/deliver-to-field.tsx";
import { UnitSelect } from "#app/console/(pages)/mailboxes/parts.tsx";
import { mailboxOptionsQuery, type MailboxRow } from "#app/console/(pages)/mailboxes/queries.ts";
import { AddressPicker } from "#app/console/ui/addresses.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { formText } from "#app/console/ui/form/form-text.ts";
import { formatBytes, formatCount } from "#app/console/ui/format.ts";
import { QUOTA_MB_MAX, QUOTA_MB_MIN } from "#server/universal/mailbox-sizes.ts";

import {
  BULK_ACTIONS,
  type BulkAction,
  type BulkActionInput,
  type BulkActionName,
  pluralMailboxes,
  describeBulkAction,
  useBatch,
} from "./bulk-actions.ts";
import { BulkActionProgress, MailboxResultList } from "./progress.tsx";

/** Limits the load on the mail server. */
const AT_ONCE = 3;

type BulkActionDialogProps = {
  name: BulkActionName;
  mailboxes: MailboxRow[];
  onClose: (done: string[]) => void;
};

/**
 * Previews a bulk action for each mailbox, runs it, and shows the results. Can't be closed by accident
 * while it runs or shows passwords.
 *
 * @param onClose receives the addresses for which the action succeeded
 */
export function BulkActionDialog({ name, mailboxes, onClose }: BulkActionDialogProps) {
  const act = BULK_ACTIONS[name];
  const [choice, setChoice] = useState<BulkActionInput>({});
  const queryClient = useQueryClient();
  const run = useBatch((address) => act.run(address, choice), AT_ONCE);
  const forecasts = mailboxes.map((mailbox) => ({ mailbox, ...act.preview(mailbox, choice) }));
  const acted = forecasts
    .filter(({ isIncluded: isIncluded }) => isIncluded)
    .map(({ mailbox }) => mailbox);
  const [begun, setBegun] = useState<MailboxRow[] | null>(null);

  function handleStart() {
    setBegun(acted);
    run.run(acted.map(({ id }) => id));
  }

  function close() {
    const done = [...run.outcomes].filter(([, { isDone }]) => isDone).map(([id]) => id);
    for (const noun of ["mailboxes", "mailboxAccess", "units", "groups"])
      void queryClient.invalidateQueries({ queryKey: [noun] });
    onClose(done);
  }

  const isHeld = begun !== null;
  return (
    <Modal
      opened
      onClose={close}
      title={describeBulkAction(act, (begun ?? acted).length)}
      size={680}
      withCloseButton={!isHeld}
      closeOnEscape={!isHeld}
      closeOnClickOutside={!isHeld}
    >
      {begun ? (
        <BulkActionProgress act={act} mailboxes={begun} run={run} onClose={close} />
      ) : (
        <Stack gap="md">
          <Text>{act.consequence}</Text>
          <BulkActionOptions
            name={name}
            mailboxes={mailboxes}
            choice={choice}
            onChoose={setChoice}
          />
          <div>
            <SkippedCount count={forecasts.length - acted.length} of={forecasts.length} />
            <MailboxResultList label="What will happen" entries={forecasts} />
          </div>
          <ConfirmBulkAction
            key={name}
            act={act}
            name={name}
            choice={choice}
            acted={acted}
            onStart={handleStart}
            onCancel={close}
          />
        </Stack>
      )}
    </Modal>
  );
}

const SkippedCount = ({ count, of: all }: { count: number; of: number }) => (
  <Text size="sm" c="dimmed" role="status" mb={count > 0 ? 4 : 0}>
    {count > 0 && `${formatCount(count)} of ${formatCount(all)} will be skipped.`}
  </Text>
);

function inputError(name: BulkActionName, choice: BulkActionInput, count: number): string | null {
  if (name === "move" && choice.unit === undefined) return "Select a unit";
  if (name === "group" && choice.group === undefined) return "Select a group";
  if (name === "resize" && !choice.sizeMb) return "Enter a storage limit";
  return count === 0 ? "None of the selected mailboxes qualify" : null;
}

function ConfirmBulkAction({
  act,
  name,
  choice,
  acted,
  onStart,
  onCancel,
}: {
  act: BulkAction;
  name: BulkActionName;
  choice: BulkActionInput;
  acted: MailboxRow[];
  onStart: () => void;
  onCancel: () => void;
}) {
  const [problem, setProblem] = useState<string | null>(null);
  const number = String(acted.length);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const typed = act.isConfirmed
      ? formText(new FormData(event.currentTarget), "number").trim()
      : number;
    const mistyped = typed === number ? null : `The number must be ${number}`;
    const found = inputError(name, choice, acted.length) ?? mistyped;
    setProblem(found);
    if (found === null) onStart();
  }

  const bytes = acted.reduce((sum, { usedBytes }) => sum + usedBytes, 0);
  return (
    <form onSubmit={handleSubmit} method="post" noValidate>
      <Stack gap="md">
        {act.isConfirmed && (
          <>
            <Text fw={600}>
              {pluralMailboxes(acted.length)} with {formatBytes(bytes)} of mail will be deleted.
            </Text>
            <TextInput
              name="number"
              label={`Type ${number} to confirm`}
              inputMode="numeric"
              autoComplete="off"
              error={problem}
              data-autofocus
            />
          </>
        )}
        {!act.isConfirmed && problem !== null && (
          <Text role="alert" size="sm" c="var(--mantine-color-error)">
            {problem}.
          </Text>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <Button type="submit" {...(act.isConfirmed && { color: "red.8" })}>
            {describeBulkAction(act, acted.length)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const NONE = { id: 0, name: "Select a unit", depth: 0, mayCreate: false, mayUpdate: true };

type BulkActionOptionsProps = {
  name: BulkActionName;
  mailboxes: MailboxRow[];
  choice: BulkActionInput;
  onChoose: (choice: BulkActionInput) => void;
};

function BulkActionOptions({ name, mailboxes, choice, onChoose }: BulkActionOptionsProps) {
  if (name === "move") return <UnitOption choice={choice} onChoose={onChoose} />;
  if (name === "resize") return <SizeOption mailboxes={mailboxes} onChoose={onChoose} />;
  if (name === "group") return <GroupOption choice={choice} onChoose={onChoose} />;
  if (name === "delete")
    return (
      <DeliverToField
        value={choice.deliverTo ?? ""}
        onChange={(deliverTo) => onChoose({ deliverTo })}
      />
    );
  return null;
}

type GroupOptionProps = { choice: BulkActionInput; onChoose: (choice: BulkActionInput) => void };

const GroupOption = ({ choice, onChoose }: GroupOptionProps) => (
  <AddressPicker
    name="group"
    label="Group"
    suggests={["group"]}
    value={choice.group === undefined ? [] : [choice.group]}
    onChange={(entries) => onChoose(entries.length > 0 ? { group: entries.at(-1)! } : {})}
  />
);

type UnitOptionProps = { choice: BulkActionInput; onChoose: (choice: BulkActionInput) => void };

function UnitOption({ choice, onChoose }: UnitOptionProps) {
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

type SizeOptionProps = { mailboxes: MailboxRow[]; onChoose: (choice: BulkActionInput) => void };

function SizeOption({ mailboxes, onChoose }: SizeOptionProps) {
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

"use client";

import { Anchor, Button, Text, TextInput } from "@mantine/core";
import Link from "next/link";
import { type SubmitEvent, useState } from "react";

import { formatCompanies } from "#app/console/(pages)/operate/plan-limits.tsx";
import { type AnswerOf, change, ConsoleError } from "#app/console/console-client.ts";
import { useAction, useChange } from "#app/console/ui/actions.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { FormError } from "#app/console/ui/errors.tsx";
import { formText } from "#app/console/ui/form/use-form.ts";
import { formatCount, pluralize, toSentence } from "#app/console/ui/format.ts";
import { RelativeTime } from "#app/console/ui/time.tsx";

import classes from "./limits.module.css";

type Setting = AnswerOf<"limits.listSettings">["settings"][number];
type SettingPreview = AnswerOf<"limits.previewSetting">;
type Asked = { next: string | null; effect: string; preview: SettingPreview };

/** Before saving a value that affects companies today or deletes something, `asked` says so. */
function useSaveSetting(setting: Setting) {
  const { name, value, masked, default: defaultValue, changedAt } = setting;
  const params = { name };
  const preview = useChange("limits.previewSetting");
  const [asked, setAsked] = useState<Asked | null>(null);
  /** Null resets the setting to its default. */
  const send = (value: string | null) =>
    change("limits.changeSetting", { params, body: { value } });
  const action = useAction({
    call: send,
    invalidates: ["limits.listSettings"],
    waits: true,
    success: (_, next) =>
      next === null ? `${name} reset to its default` : `${name} set to ${next}`,
    // Deleted data doesn't come back, and a masked value isn't known here.
    ...(!asked && !masked && { undo: () => send(changedAt === null ? null : String(value)) }),
  });
  const isPending = action.isPending || preview.isPending;

  async function save(next: string | null) {
    if (isPending) return;
    action.reset();
    try {
      const found = await preview.run({ params, body: { value: next ?? String(defaultValue) } });
      const effect = settingEffect(name, found);
      if (effect === null) await action.run(next);
      else setAsked({ next, effect, preview: found });
    } catch {
      // Shown at the field.
    }
  }
  return {
    save,
    isPending,
    error: action.error ?? preview.error,
    asked,
    confirm: () => action.run(asked!.next),
    cancel: () => setAsked(null),
  };
}

export function LimitSettingRow({ setting }: { setting: Setting }) {
  const { name, value, masked, meaning, obstacle, changedAt } = setting;
  const { save, isPending, error, asked, confirm, cancel } = useSaveSetting(setting);
  const isRefused = error instanceof ConsoleError && error.status === 422;

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    void save(formText(new FormData(event.currentTarget), name).trim());
  }

  return (
    <li className={classes.setting}>
      <div>
        <label className={classes.name} htmlFor={name}>
          {name}
        </label>
        <Text c="dimmed">{toSentence(meaning)}</Text>
        {obstacle !== null && <Text size="sm">{toSentence(obstacle)}</Text>}
        <Text size="sm" c="dimmed">
          {formatBounds(setting)}
          {changedAt !== null && (
            <>
              {" "}
              Changed <RelativeTime at={changedAt} />.
            </>
          )}
        </Text>
      </div>
      <form className={classes.form} onSubmit={handleSubmit} method="post" noValidate>
        <TextInput
          id={name}
          name={name}
          defaultValue={masked ? "" : String(value)}
          placeholder={masked ? String(value) : undefined}
          error={isRefused && error.message}
          autoComplete="off"
          spellCheck={false}
          size="sm"
        />
        <Button type="submit" variant="default" aria-busy={isPending}>
          Save
        </Button>
        {changedAt !== null && (
          <Button size="compact-sm" variant="subtle" onClick={() => void save(null)}>
            Reset to {String(setting.default)}
          </Button>
        )}
        {!isRefused && <FormError error={error} />}
      </form>
      {asked && <AskAboutEffect name={name} asked={asked} onConfirm={confirm} onClose={cancel} />}
    </li>
  );
}

function AskAboutEffect({
  name,
  asked,
  onConfirm,
  onClose,
}: {
  name: string;
  asked: Asked;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}) {
  const isReset = asked.next === null;
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={isReset ? `Reset ${name} to its default?` : `Set ${name} to ${asked.next}?`}
      confirmLabel={isReset ? "Reset setting" : "Save setting"}
      onConfirm={onConfirm}
    >
      <SettingEffect name={name} {...asked} />
    </ConfirmDialog>
  );
}

function SettingEffect({ name, effect, preview }: Asked & { name: string }) {
  const more = andMore(preview);
  return (
    <>
      <Text>{effect}</Text>
      {preview.over.length > 0 && (
        <Text component="ul" m={0} mt="xs" pl="md" style={{ listStyle: "revert" }}>
          {preview.over.map(({ id, name: company, used }) => (
            <li key={id}>
              <Anchor component={Link} href={`/console/operate/companies/${id}`}>
                {company}
              </Anchor>
              {used !== null && `: ${formatSettingUse(name, used)}`}
            </li>
          ))}
          {more && <li>{more}</li>}
        </Text>
      )}
    </>
  );
}

function formatBounds({ min, max, default: defaultValue }: Setting): string {
  const fallback = typeof defaultValue === "number" ? formatCount(defaultValue) : defaultValue;
  if (min === null || max === null) return `Default ${fallback}.`;
  return `From ${formatCount(min)} to ${formatCount(max)}, default ${fallback}.`;
}

/** What the settings about cleanups delete. */
const DELETED: Record<string, [noun: string, plural?: string]> = {
  keep_emails_days: ["email"],
  keep_suppressions_days: ["suppression"],
  keep_audit_days: ["audit entry", "audit entries"],
  keep_contacts_days: ["contact"],
  keep_deleted_days: ["deleted item"],
  keep_received_days: ["received email"],
};

/** What a changed setting does to companies. Null if it affects none today. */
export function settingEffect(name: string, preview: SettingPreview): string | null {
  const { overCount: count, deletes } = preview;
  if (deletes !== null && deletes > 0) {
    const [noun, plural] = DELETED[name] ?? ["record"];
    return `The next cleanup will delete ${pluralize(deletes, noun, plural)} for good.`;
  }
  if (count === 0) return null;
  if (name === "outgoing_scan_minimum")
    return `${formatCompanies(count)} now ${count === 1 ? "does" : "do"} less about outgoing spam than the new minimum, which will apply to ${count === 1 ? "it" : "them"} immediately.`;
  const whose = formatCompanies(count);
  if (name === "hourly_recipients_mailbox")
    return `This lowers the limit below what mailboxes of ${whose} sent in the last hour.`;
  return `This lowers the limit of ${whose} below what ${count === 1 ? "it uses" : "they use"} today.`;
}

const UNITS: Record<string, string> = {
  hourly_recipients_company: "in the last hour",
  hourly_recipients_mailbox: "by one mailbox in the last hour",
  scheduled_backlog: "in scheduled emails",
};

/** "700 recipients in the last hour" */
const formatSettingUse = (name: string, used: number): string =>
  name === "received_storage_mb"
    ? `${formatCount(used)} MB of received emails`
    : [pluralize(used, "recipient"), UNITS[name]].filter(Boolean).join(" ");

/** "and 5 more" */
const andMore = ({ over, overCount: count }: SettingPreview): string | null =>
  count > over.length ? `and ${formatCount(count - over.length)} more` : null;

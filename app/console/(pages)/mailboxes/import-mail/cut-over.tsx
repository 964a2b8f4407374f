import { Anchor, Button, Text } from "@mantine/core";
import Link from "next/link";
import type { ReactNode } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { formatCount, pluralize } from "#app/console/ui/format.ts";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

import { isActive, type MailImport, type MailImports, repeatMailImport } from "./queries.ts";

/** The steps of a move to this server, checked as far as Posthouse can know. */
export function CutOver({ imports: { data, domains } }: { imports: MailImports }) {
  const isImported = data.every(({ state }) => state === "done");
  const switched = domains.filter(({ receives }) => receives);
  const isSwitched = switched.length === domains.length;
  const others = domains.filter(({ receives }) => !receives).map(({ name }) => name);
  return (
    <Panel title="Cut-over">
      <ItemList label="Steps to switch servers">
        <Step title="1. Lower the TTL">
          A few days before, set the TTL of the MX record to 300 seconds, so that the switch takes
          effect in minutes.
        </Step>
        <Step title="2. Import mail" isDone={isImported}>
          {finishedText(data)}
        </Step>
        <Step title="3. Switch the MX record" isDone={isSwitched}>
          {isSwitched ? (
            `${switched.map(({ name }) => name).join(", ")} ${switched.length === 1 ? "receives" : "receive"} mail here.`
          ) : (
            <>
              {others.join(", ")} {others.length === 1 ? "doesn’t" : "don’t"} receive mail here yet.{" "}
              <RecordsLink />
            </>
          )}
        </Step>
        <Step title="4. Import new mail" action={<RepeatAllButton imports={data} />}>
          Once the old TTL has expired, import any mail that reached the old server in the meantime.
        </Step>
        <Step title="5. Compare the counts" isDone={isImported && isComplete(data)}>
          {countsText(data)}
        </Step>
      </ItemList>
    </Panel>
  );
}

function RecordsLink() {
  const { has } = usePrivileges();
  if (!has("domains") && !has("api_controls"))
    return "An admin with the Domains privilege can find the record on the domain’s page.";
  return (
    <Anchor component={Link} href="/console/domains" inherit underline="always">
      Show records
    </Anchor>
  );
}

function Step({
  title,
  isDone,
  action,
  children,
}: {
  title: string;
  /** Undefined if Posthouse can't know. */
  isDone?: boolean;
  action?: ReactNode;
  children: ReactNode;
}) {
  const status = isDone !== undefined && (
    <Status {...(isDone ? { tone: "done", label: "Done" } : { tone: "waiting", label: "To do" })} />
  );
  return (
    <ItemRow title={title} actions={action ?? status}>
      <Text inherit>{children}</Text>
    </ItemRow>
  );
}

function finishedText(imports: MailImport[]): string {
  const done = imports.filter(({ state }) => state === "done").length;
  if (imports.length === 1)
    return done ? "The import has finished." : "The import hasn’t finished.";
  return `${formatCount(done)} of ${formatCount(imports.length)} imports have finished.`;
}

const sum = (imports: MailImport[], field: "messagesTotal" | "messagesDone" | "errors") =>
  imports.reduce((total, row) => total + row[field], 0);

const isComplete = (imports: MailImport[]) =>
  sum(imports, "messagesDone") === sum(imports, "messagesTotal") && sum(imports, "errors") === 0;

function countsText(imports: MailImport[]): string {
  const errors = sum(imports, "errors");
  const here = sum(imports, "messagesDone") - errors;
  const counts = `${formatCount(here)} of ${pluralize(sum(imports, "messagesTotal"), "message")} on the old server have been imported.`;
  return errors > 0 ? `${counts} ${formatCount(errors)} couldn’t be imported.` : counts;
}

/** Repeats finished imports whose password is still stored. */
function RepeatAllButton({ imports }: { imports: MailImport[] }) {
  const rows = imports.filter((row) => !isActive(row) && row.hasSecret);
  const repeat = useAction({
    call: async () => {
      for (const { id } of rows) await repeatMailImport(id);
    },
    invalidates: [["mailImports"]],
    success: "Importing new mail",
  });
  if (rows.length === 0) return null;
  return (
    <Button variant="default" onClick={() => repeat.start()} aria-busy={repeat.isPending}>
      Import new mail into {pluralize(rows.length, "mailbox", "mailboxes")}
    </Button>
  );
}

"use client";

import { Button, Text } from "@mantine/core";
import { useState } from "react";

import { usePrivileges } from "#app/console/session.ts";
import { ChoiceChips } from "#app/console/ui/filter-chips.tsx";
import { ListPage } from "#app/console/ui/list-page.tsx";
import { Menu } from "#app/console/ui/menu.tsx";
import {
  createdColumn,
  recipientsColumn,
  senderColumn,
  SUBJECT_COLUMN,
  statusColumn,
} from "#app/console/ui/list-columns.tsx";
import { CopyItem } from "#app/console/ui/row-menu.tsx";
import { useSelection } from "#app/console/ui/selection.tsx";
import { oneOf } from "#app/console/ui/url-filters.ts";

import {
  pluralMessages,
  type Decision,
  DecisionDialog,
  type DecisionOutcome,
  type QuarantineRow,
  reasons,
  verbFor,
  verbs,
} from "./decision-dialog.tsx";

export function Quarantine() {
  const { has } = usePrivileges();
  const selection = useSelection<QuarantineRow>();
  const [asked, setAsked] = useState<Asked | null>(null);
  const [outcome, setOutcome] = useState("");
  // Kept while the dialog closes.
  const [shown, setShown] = useState(asked);
  if (asked !== null && asked !== shown) setShown(asked);

  function ask(decision: Decision, messages: QuarantineRow[]) {
    setOutcome("");
    setAsked({ decision, messages });
  }

  return (
    <ListPage
      list="quarantine.list"
      title="Quarantine"
      description="Incoming messages kept from mailboxes. Posthouse deletes them after 30 days."
      help="spam"
      label="Quarantined messages"
      noun="messages"
      searchNoun="quarantined messages"
      settings={{ refetchInterval: REFRESH_MS }}
      skeletonRows={20}
      search="Sender, subject, or recipient"
      filters={FILTERS}
      controls={({ reason }) =>
        // Others see only group posts.
        has("update_users") && (
          <ChoiceChips
            name="reason"
            label="Reason"
            value={reason}
            options={has("manage_groups") ? reasons : { spam: reasons.spam, virus: reasons.virus }}
          />
        )
      }
      empty={{
        title: "No messages in quarantine",
        children: (
          <>
            <Text>
              Likely spam, messages with viruses, and group posts awaiting a moderator are kept
              here. They aren’t delivered until someone releases them. Messages with a lower spam
              score go to the recipient’s Junk folder instead.
            </Text>
            <Text>
              rspamd detects spam and viruses. Run <code>posthouse doctor</code> on the server to
              check that it is working.
            </Text>
          </>
        ),
      }}
      columns={{
        from: senderColumn("/console/quarantine", nameOf, ({ sender }) => sender),
        subject: SUBJECT_COLUMN,
        to: recipientsColumn<QuarantineRow>(({ recipients }) => recipients),
        reason: statusColumn("104px", ({ reason }: QuarantineRow) => reasons[reason], "Reason"),
        created: createdColumn("Quarantined"),
      }}
      nameOf={(message) => `${message.subject || "message"} from ${nameOf(message)}`}
      menu={(message) => (
        <>
          {DECISIONS.map((decision) => (
            <Menu.Item key={decision} onClick={() => ask(decision, [message])}>
              {verbFor(decision, message.reason)} message
            </Menu.Item>
          ))}
          <CopyItem value={message.sender}>Copy sender</CopyItem>
        </>
      )}
      bulk={{
        selection,
        label: "Bulk actions",
        nameCount: pluralMessages,
        outcome,
        actions: (chosen) =>
          DECISIONS.map((decision) => (
            <Button
              key={decision}
              variant="default"
              size="xs"
              onClick={() => ask(decision, [...chosen.values()])}
            >
              {verbs[decision].quarantined}
            </Button>
          )),
      }}
      phone={`"choose from from menu" auto ". subject reason reason" auto
    ". created created created" auto / 20px minmax(0, 1fr) auto 28px`}
    >
      <DecisionDialog
        messages={shown?.messages ?? []}
        decision={asked?.decision ?? null}
        onClose={() => setAsked(null)}
        onDone={(decided) => {
          setOutcome(describeOutcome(asked!.decision, decided));
          setAsked(null);
          selection.setChosen(new Map());
        }}
      />
    </ListPage>
  );
}

const REFRESH_MS = 10_000;
const FILTERS = { reason: oneOf(reasons) };
const DECISIONS = ["release", "delete"] as const;

/** What the open dialog is about. */
type Asked = { decision: Decision; messages: QuarantineRow[] };

const nameOf = ({ from, sender }: QuarantineRow) => from || sender || "(no sender)";

function describeOutcome(decision: Decision, { done, gone }: DecisionOutcome): string {
  const what = `${pluralMessages(done)} ${decision === "release" ? "released" : "deleted"}`;
  if (gone.length === 0) return `${what}.`;
  return `${what}. Recipients that no longer exist: ${[...new Set(gone)].join(", ")}.`;
}

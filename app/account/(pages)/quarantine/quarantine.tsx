"use client";

import { Button, Skeleton, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import {
  ownQuarantineQuery,
  type QuarantineAnswer,
  type QuarantineEntry,
  useReleaseOwn,
} from "#app/account/queries.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { EmptyState, Panel } from "#app/console/ui/panel.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { RichText, useTexts } from "#app/console/ui/texts.tsx";

export function AccountQuarantine() {
  const text = useTexts();
  const quarantine = useQuery(ownQuarantineQuery);
  return (
    <>
      <PageHeader title={text("quarantine")} description={text("quarantine.text")} />
      <QueryView
        query={quarantine}
        noun={text("noun.quarantine")}
        skeleton={<Skeleton height={200} />}
      >
        {(quarantine) => <QuarantinedMessages quarantine={quarantine} />}
      </QueryView>
    </>
  );
}

function QuarantinedMessages({ quarantine }: { quarantine: QuarantineAnswer }) {
  const text = useTexts();
  const release = useReleaseOwn(text("quarantine.released"));
  const [asked, setAsked] = useState<QuarantineEntry | null>(null);
  if (!quarantine.isVisible)
    return (
      <EmptyState title={text("quarantine.hidden")}>
        <Text>{text("quarantine.hidden.text")}</Text>
      </EmptyState>
    );
  if (quarantine.data.length === 0)
    return (
      <EmptyState title={text("quarantine.none")}>
        <Text>{text("quarantine.none.text")}</Text>
      </EmptyState>
    );
  return (
    <Panel>
      <ItemList label={text("quarantine.list")}>
        {quarantine.data.map((message) => (
          <ItemRow
            key={message.id}
            title={message.subject || text("quarantine.noSubject")}
            actions={
              message.canRelease && (
                <Button
                  variant="default"
                  aria-label={text("quarantine.release.name", {
                    subject: message.subject || text("quarantine.noSubject"),
                  })}
                  onClick={() => setAsked(message)}
                >
                  {text("quarantine.release")}
                </Button>
              )
            }
          >
            <RichText
              id="quarantine.entry"
              values={{
                sender: message.from || text("quarantine.noSender"),
                time: <RelativeTime at={message.createdAt} />,
                reason: text(reasonOf(message)),
              }}
            />
          </ItemRow>
        ))}
      </ItemList>
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title={text("quarantine.release.title")}
        confirmLabel={text("quarantine.release.confirm")}
        isHarmless
        onConfirm={() => release.run(asked!)}
      >
        {text("quarantine.release.text", {
          subject: asked?.subject || text("quarantine.noSubject"),
          sender: asked?.from || text("quarantine.noSender"),
        })}
      </ConfirmDialog>
    </Panel>
  );
}

function reasonOf({ reason, canRelease }: QuarantineEntry) {
  if (reason === "virus") return "quarantine.virus";
  return canRelease ? "quarantine.spam" : "quarantine.spam.admin";
}

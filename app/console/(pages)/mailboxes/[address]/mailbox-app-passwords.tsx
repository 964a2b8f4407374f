"use client";

import { Button, Text } from "@mantine/core";
import { useState } from "react";

import { AppPasswordLastUse } from "#app/console/ui/app-password-last-use.tsx";
import { ItemRow, ItemList } from "#app/console/ui/item-list.tsx";
import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { type Access, useRevokeAppPassword } from "./access-queries.ts";

type AppPassword = Access["app_passwords"][number];

/** Admins can revoke app passwords but not create them. */
export function MailboxAppPasswords({
  mailbox,
  passwords,
}: {
  mailbox: MailboxDetail;
  passwords: AppPassword[];
}) {
  const [asked, setAsked] = useState<AppPassword | null>(null);
  const revoke = useRevokeAppPassword(mailbox.id);
  return (
    <Panel title="App passwords">
      {passwords.length === 0 ? (
        <Text c="dimmed">
          No app passwords. Mailbox users create them on their account page, one for each mail app.
        </Text>
      ) : (
        <ItemList label="App passwords">
          {passwords.map((password) => (
            <ItemRow
              key={password.id}
              title={password.name}
              actions={
                mailbox.may.reset_password && (
                  <Button
                    variant="default"
                    size="xs"
                    aria-label={`Revoke ${password.name}`}
                    onClick={() => setAsked(password)}
                  >
                    Revoke
                  </Button>
                )
              }
            >
              <AppPasswordLastUse password={password} />, created{" "}
              <RelativeTime at={password.created_at} />
            </ItemRow>
          ))}
        </ItemList>
      )}
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title={`Revoke ${asked?.name ?? ""}?`}
        confirmLabel="Revoke app password"
        onConfirm={() => revoke.mutateAsync(asked!.id)}
      >
        The app using it is signed out immediately and can’t receive mail anymore. Other apps are
        disconnected briefly and reconnect automatically.
      </ConfirmDialog>
    </Panel>
  );
}

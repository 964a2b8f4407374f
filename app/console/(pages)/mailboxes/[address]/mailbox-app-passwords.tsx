"use client";

import { Text } from "@mantine/core";

import { AppPasswordLastUse } from "#app/console/ui/sign-ins.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

import { type Access, useRevokeAppPassword } from "./access-queries.ts";

type AppPassword = Access["appPasswords"][number];

/** Admins can revoke app passwords but not create them. */
export function MailboxAppPasswords({
  mailbox,
  passwords,
}: {
  mailbox: MailboxDetail;
  passwords: AppPassword[];
}) {
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
                  <ConfirmedButton
                    label="Revoke"
                    size="xs"
                    name={`Revoke ${password.name}`}
                    title={`Revoke ${password.name}?`}
                    confirmLabel="Revoke app password"
                    onConfirm={() => revoke.mutateAsync(password.id)}
                  >
                    The app using it is signed out immediately and can’t receive mail anymore. Other
                    apps are disconnected briefly and reconnect automatically.
                  </ConfirmedButton>
                )
              }
            >
              <AppPasswordLastUse password={password} />, created{" "}
              <RelativeTime at={password.createdAt} />
            </ItemRow>
          ))}
        </ItemList>
      )}
    </Panel>
  );
}

import { Button } from "@mantine/core";
import { useState } from "react";

import { type AppPassword, useDeleteAppPassword } from "#app/account/session-queries.ts";
import { AppPasswordLastUse } from "#app/console/ui/app-password-last-use.tsx";
import { ItemRow, ItemList } from "#app/console/ui/item-list.tsx";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

export function AppPasswordList({ passwords }: { passwords: AppPassword[] }) {
  const [asked, setAsked] = useState<AppPassword | null>(null);
  const remove = useDeleteAppPassword();
  return (
    <>
      <ItemList label="App passwords">
        {passwords.map((password) => (
          <ItemRow
            key={password.id}
            title={password.name}
            actions={
              <Button
                variant="default"
                aria-label={`Revoke ${password.name}`}
                onClick={() => setAsked(password)}
              >
                Revoke
              </Button>
            }
          >
            <div>
              <AppPasswordLastUse password={password} />
            </div>
            <div>
              Created <RelativeTime at={password.created_at} />
            </div>
          </ItemRow>
        ))}
      </ItemList>
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title={`Revoke ${asked?.name ?? ""}?`}
        confirmLabel="Revoke app password"
        onConfirm={() => remove.run(asked!.id)}
      >
        The app that uses it is signed out immediately. Your other apps disconnect briefly and
        reconnect automatically.
      </ConfirmDialog>
    </>
  );
}

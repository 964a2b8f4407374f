import { Button } from "@mantine/core";
import { useState } from "react";

import { type AppPassword, useDeleteAppPassword } from "#app/account/session-queries.ts";
import { formatProtocols } from "#app/account/ui/protocols.ts";
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
            <LastUse password={password} />
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
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => asked && remove.mutate(asked.id, { onSuccess: () => setAsked(null) })}
      >
        The app that uses it is signed out immediately. Your other apps disconnect briefly and
        reconnect automatically.
      </ConfirmDialog>
    </>
  );
}

function LastUse({ password }: { password: AppPassword }) {
  if (password.last_used_at === null) return <div>Never used</div>;
  return (
    <div>
      Last used <RelativeTime at={password.last_used_at} />
      {password.last_used_for !== null && ` for ${formatProtocols([password.last_used_for])}`}
      {password.last_used_from !== null && ` from ${password.last_used_from}`}
    </div>
  );
}

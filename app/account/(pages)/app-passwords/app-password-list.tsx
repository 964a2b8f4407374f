import { Button } from "@mantine/core";
import { useState } from "react";

import { type AppPassword, useDeleteAppPassword } from "#app/account/session-queries.ts";
import { protocolsInWords } from "#app/account/ui/protocols.ts";
import { Row, Rows } from "#app/console/ui/rows.tsx";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";

export function AppPasswordList({ passwords }: { passwords: AppPassword[] }) {
  const [asked, setAsked] = useState<AppPassword | null>(null);
  const remove = useDeleteAppPassword();
  return (
    <>
      <Rows label="App passwords">
        {passwords.map((password) => (
          <Row
            key={password.id}
            title={password.name}
            actions={
              <Button
                variant="default"
                aria-label={`Remove ${password.name}`}
                onClick={() => setAsked(password)}
              >
                Remove
              </Button>
            }
          >
            <LastUse password={password} />
            <div>
              Made <RelativeMoment at={password.created_at} />
            </div>
          </Row>
        ))}
      </Rows>
      <ConfirmDialog
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        title={`Remove ${asked?.name ?? ""}?`}
        verb="Remove app password"
        isPending={remove.isPending}
        error={remove.error}
        onConfirm={() => asked && remove.mutate(asked.id, { onSuccess: () => setAsked(null) })}
      >
        The app that uses it is signed out at once and gets no more mail. Your other apps are signed
        out for a moment and come back by themselves.
      </ConfirmDialog>
    </>
  );
}

function LastUse({ password }: { password: AppPassword }) {
  if (password.last_used_at === null) return <div>Never used</div>;
  return (
    <div>
      Last used <RelativeMoment at={password.last_used_at} />
      {password.last_used_for !== null && ` for ${protocolsInWords([password.last_used_for])}`}
      {password.last_used_from !== null && ` from ${password.last_used_from}`}
    </div>
  );
}

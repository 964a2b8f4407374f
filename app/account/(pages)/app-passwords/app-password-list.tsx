import { type AppPassword, useDeleteAppPassword } from "#app/account/session-queries.ts";
import { AppPasswordLastUse } from "#app/console/ui/sign-ins.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

export function AppPasswordList({ passwords }: { passwords: AppPassword[] }) {
  const remove = useDeleteAppPassword();
  return (
    <ItemList label="App passwords">
      {passwords.map((password) => (
        <ItemRow
          key={password.id}
          title={password.name}
          actions={
            <ConfirmedButton
              label="Revoke"
              name={`Revoke ${password.name}`}
              title={`Revoke ${password.name}?`}
              confirmLabel="Revoke app password"
              onConfirm={() => remove.run(password.id)}
            >
              The app that uses it is signed out immediately. Your other apps disconnect briefly and
              reconnect automatically.
            </ConfirmedButton>
          }
        >
          <div>
            <AppPasswordLastUse password={password} />
          </div>
          <div>
            Created <RelativeTime at={password.createdAt} />
          </div>
        </ItemRow>
      ))}
    </ItemList>
  );
}

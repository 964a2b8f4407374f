import { Button, Text } from "@mantine/core";

import { type Sessions, useEndMailApps } from "#app/account/session-queries.ts";
import { formatProtocols } from "#app/console/ui/protocols.ts";
import { ItemRow, ItemList } from "#app/console/ui/item-list.tsx";
import { FormError } from "#app/console/ui/form-error.tsx";

export function AccountMailAppSessions({ apps }: { apps: Sessions["mail_apps"] }) {
  const end = useEndMailApps();
  if (apps === null)
    return (
      <Text role="status">
        Mail app sessions are unavailable because the mail server isn’t responding.
      </Text>
    );
  if (apps.length === 0) return <Text c="dimmed">No mail app is signed in.</Text>;
  return (
    <>
      <ItemList label="Mail apps">
        {apps.map(({ client_address: address, services, connections }) => (
          <ItemRow
            key={address}
            title={address}
            actions={
              <Button
                variant="default"
                aria-label={`End sessions from ${address}`}
                loading={end.isPending && end.variables === address}
                onClick={() => end.mutate(address)}
              >
                End sessions
              </Button>
            }
          >
            {connections} {connections === 1 ? "connection" : "connections"} for{" "}
            {formatProtocols(services)}
          </ItemRow>
        ))}
      </ItemList>
      <FormError error={end.error} />
    </>
  );
}

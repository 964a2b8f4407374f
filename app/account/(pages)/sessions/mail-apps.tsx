import { Button, Text } from "@mantine/core";

import { type Sessions, useEndMailApps } from "#app/account/session-queries.ts";
import { protocolsInWords } from "#app/account/ui/protocols.ts";
import { Row, Rows } from "#app/console/ui/rows.tsx";
import { FormProblem } from "#app/console/ui/form-problem.tsx";

export function MailApps({ apps }: { apps: Sessions["mail_apps"] }) {
  const end = useEndMailApps();
  if (apps === null) return <Text role="status">The mail server cannot be asked right now.</Text>;
  if (apps.length === 0) return <Text c="dimmed">No mail app is signed in.</Text>;
  return (
    <>
      <Rows label="Mail apps">
        {apps.map(({ client_address: address, services, connections }) => (
          <Row
            key={address}
            title={address}
            actions={
              <Button
                variant="default"
                aria-label={`End the sessions from ${address}`}
                loading={end.isPending && end.variables === address}
                onClick={() => end.mutate(address)}
              >
                End
              </Button>
            }
          >
            {connections} {connections === 1 ? "connection" : "connections"} for{" "}
            {protocolsInWords(services)}
          </Row>
        ))}
      </Rows>
      <FormProblem error={end.error} />
    </>
  );
}

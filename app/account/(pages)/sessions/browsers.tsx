import { Button } from "@mantine/core";

import { type Sessions, useEndSession } from "#app/account/session-queries.ts";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { describeUserAgent } from "#app/console/ui/sign-ins.tsx";

export function AccountBrowserSessions({ browsers }: { browsers: Sessions["browsers"] }) {
  const end = useEndSession();
  return (
    <>
      <ItemList label="Browsers">
        {browsers.map((session) => {
          const name = describeUserAgent(session.userAgent);
          return (
            <ItemRow
              key={session.id}
              title={name}
              actions={
                session.isThisOne ? (
                  <Status tone="info" label="This session" />
                ) : (
                  <Button
                    variant="default"
                    aria-label={`End session of ${name}`}
                    aria-busy={end.isPending && end.variables === session.id}
                    onClick={() => end.start(session.id)}
                  >
                    End session
                  </Button>
                )
              }
            >
              {session.clientAddress !== null && `From ${session.clientAddress}, `}
              signed in <RelativeTime at={session.createdAt} />
            </ItemRow>
          );
        })}
      </ItemList>
    </>
  );
}

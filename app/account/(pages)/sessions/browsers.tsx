import { Button } from "@mantine/core";

import { type Sessions, useEndSession } from "#app/account/session-queries.ts";
import { Row, Rows } from "#app/console/ui/rows.tsx";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { browserInWords } from "#app/console/ui/browser-words.ts";

export function Browsers({ browsers }: { browsers: Sessions["browsers"] }) {
  const end = useEndSession();
  return (
    <>
      <Rows label="Browsers">
        {browsers.map((session) => {
          const name = browserInWords(session.user_agent);
          return (
            <Row
              key={session.id}
              title={name}
              actions={
                session.is_this_one ? (
                  <Status meaning="informing" word="This session" />
                ) : (
                  <Button
                    variant="default"
                    aria-label={`End the session of ${name}`}
                    loading={end.isPending && end.variables === session.id}
                    onClick={() => end.mutate(session.id)}
                  >
                    End
                  </Button>
                )
              }
            >
              {session.client_address !== null && `From ${session.client_address}, `}
              signed in <RelativeMoment at={session.created_at} />
            </Row>
          );
        })}
      </Rows>
      <FormProblem error={end.error} />
    </>
  );
}

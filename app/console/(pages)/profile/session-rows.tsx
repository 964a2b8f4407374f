import { Button } from "@mantine/core";

import { browserInWords } from "#app/console/ui/browser-words.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Row, Rows } from "#app/console/ui/rows.tsx";
import { Status } from "#app/console/ui/status.tsx";

import type { Session } from "./session-queries.ts";

type EndSession = {
  isPending: boolean;
  variables: string | undefined;
  error: Error | null;
  mutate: (id: string) => void;
};

/** @param titleBy what heads each row: the device (one admin's sessions) or the admin (a company's) */
export function SessionRows({
  sessions,
  titleBy,
  end,
  mayEnd = () => true,
}: {
  sessions: Session[];
  titleBy: "device" | "admin";
  end: EndSession;
  mayEnd?: (session: Session) => boolean;
}) {
  return (
    <>
      <Rows label="Sessions">
        {sessions.map((session) => {
          const device = browserInWords(session.user_agent);
          const title = titleBy === "admin" ? session.email : device;
          return (
            <Row
              key={session.id}
              title={title}
              actions={
                session.is_this_one ? (
                  <Status meaning="informing" word="This session" />
                ) : (
                  mayEnd(session) && (
                    <Button
                      variant="default"
                      aria-label={`Sign out ${title}`}
                      aria-busy={end.isPending && end.variables === session.id}
                      onClick={() => end.mutate(session.id)}
                    >
                      Sign out
                    </Button>
                  )
                )
              }
            >
              {titleBy === "admin" ? device : session.company}
              {session.client_address !== null && `, from ${session.client_address}`}, signed in{" "}
              <RelativeMoment at={session.created_at} />
              {session.last_used_at !== null && (
                <>
                  , last used <RelativeMoment at={session.last_used_at} />
                </>
              )}
            </Row>
          );
        })}
      </Rows>
      <FormProblem error={end.error} />
    </>
  );
}

import { Button } from "@mantine/core";

import type { AnswerOf } from "#app/console/console-client.ts";
import { describeUserAgent } from "#app/console/ui/sign-ins.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { Status } from "#app/console/ui/status.tsx";

type AdminSession = AnswerOf<"profile.listOwnSessions">["data"][number];

type SessionInput = { params: { id: string } };
type EndSession = {
  isPending: boolean;
  variables: SessionInput | undefined;
  start: (input: SessionInput) => void;
};

type SessionRowsProps = {
  sessions: AdminSession[];
  titleBy: "device" | "admin";
  end: EndSession;
  mayEnd?: (session: AdminSession) => boolean;
};

/** @param titleBy what heads each row: the device (one admin's sessions) or the admin (a company's) */
export const SessionRows = ({ sessions, titleBy, end, mayEnd = () => true }: SessionRowsProps) => (
  <ItemList label="Sessions">
    {sessions.map((session) => {
      const device = describeUserAgent(session.userAgent);
      const title = titleBy === "admin" ? session.email : device;
      return (
        <ItemRow
          key={session.id}
          title={title}
          actions={
            session.isThisOne ? (
              <Status tone="info" label="This session" />
            ) : (
              mayEnd(session) && (
                <Button
                  variant="default"
                  aria-label={`End session of ${title}`}
                  aria-busy={end.isPending && end.variables?.params.id === session.id}
                  onClick={() => end.start({ params: { id: session.id } })}
                >
                  End session
                </Button>
              )
            )
          }
        >
          {titleBy === "admin" ? device : session.company}
          {session.clientAddress !== null && `, from ${session.clientAddress}`}, signed in{" "}
          <RelativeTime at={session.createdAt} />
          {session.lastUsedAt !== null && (
            <>
              , last used <RelativeTime at={session.lastUsedAt} />
            </>
          )}
        </ItemRow>
      );
    })}
  </ItemList>
);

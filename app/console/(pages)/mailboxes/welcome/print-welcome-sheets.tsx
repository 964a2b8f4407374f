"use client";

import { Button } from "@mantine/core";
import { IconPrinter } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { meQuery } from "#app/console/session.ts";
import { FormError } from "#app/console/ui/errors.tsx";
import { PrintedPage } from "#app/console/ui/printed-page.tsx";

import { fetchSetUps, type SetUp } from "./queries.ts";
import { WelcomeSheet } from "./welcome-sheet.tsx";

export type NewCredentials = { address: string; password: string };

/**
 * Prints welcome sheets for up to 100 mailboxes. Passwords stay in the browser; only the other details
 * come from the server.
 */
export function PrintWelcomeSheets({
  people,
  children,
}: {
  people: NewCredentials[];
  children: string;
}) {
  const [setUps, setSetUps] = useState<SetUp[] | null>(null);
  const [isReading, setIsReading] = useState(false);
  const [error, setError] = useState<Error | null>(null);

  async function handleClick() {
    if (isReading) return;
    setIsReading(true);
    setError(null);
    try {
      setSetUps(await fetchSetUps(people.map(({ address }) => address)));
    } catch (failure) {
      setError(failure as Error);
    }
    setIsReading(false);
  }

  return (
    <>
      <Button
        variant="default"
        leftSection={<IconPrinter size={14} />}
        aria-busy={isReading}
        onClick={() => void handleClick()}
      >
        {children}
      </Button>
      <FormError error={error} />
      {setUps && (
        <PrintedSheets setUps={setUps} people={people} onPrinted={() => setSetUps(null)} />
      )}
    </>
  );
}

function PrintedSheets({
  setUps,
  people,
  onPrinted,
}: {
  setUps: SetUp[];
  people: NewCredentials[];
  onPrinted: () => void;
}) {
  const { data: me } = useQuery(meQuery);
  const passwords = new Map(people.map(({ address, password }) => [address, password]));
  return (
    <PrintedPage onPrinted={onPrinted}>
      {setUps.map((setUp) => (
        <WelcomeSheet
          key={setUp.id}
          setUp={setUp}
          password={passwords.get(setUp.id) ?? ""}
          company={me?.company.name ?? ""}
        />
      ))}
    </PrintedPage>
  );
}

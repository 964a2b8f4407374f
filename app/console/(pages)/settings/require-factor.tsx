"use client";

import { Anchor, Button, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";
import { useQuery } from "@tanstack/react-query";

import { meQuery } from "#app/console/session-queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { toast } from "#app/console/ui/toast.ts";

import { type CompanySettings, useChangeSettings } from "./queries.ts";

const NAMED_MAX = 5;

/** Whether every admin needs a second factor, and who has none. */
export function RequireFactor({ settings }: { settings: CompanySettings }) {
  const change = useChangeSettings();
  const me = useQuery(meQuery);
  const [isAsking, setIsAsking] = useState(false);
  const isOn = settings.second_factor_required;
  const without = settings.admins_without_second_factor;
  const lacksOne = without.some(({ email }) => email === me.data?.email);

  function put(second_factor_required: boolean) {
    change.mutate(
      { second_factor_required },
      {
        onSuccess: () => {
          setIsAsking(false);
          toast(
            second_factor_required
              ? "Everybody needs a second factor from now on."
              : "A second factor is each person’s choice again.",
          );
        },
      },
    );
  }

  return (
    <Panel
      title="Second factor for everybody"
      aside={<Status meaning={isOn ? "done" : "none"} word={isOn ? "Required" : "Not required"} />}
    >
      <Stack gap="md" maw={640}>
        <Text>
          With it, every admin shows an authenticator app or a passkey beside the password. Without
          one, nothing of the console opens but its set-up.
        </Text>
        <Who without={without} admins={settings.admins} />
        {!isOn && lacksOne ? (
          <Text>
            You have none yourself:{" "}
            <Anchor component={Link} underline="always" href="/console/profile?tab=security">
              set one up
            </Anchor>{" "}
            before you ask others for it.
          </Text>
        ) : (
          <div>
            <Button variant="default" onClick={() => setIsAsking(true)}>
              {isOn ? "Make it optional" : "Require a second factor"}
            </Button>
          </div>
        )}
      </Stack>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setIsAsking(false)}
        title={isOn ? "Make the second factor optional?" : "Require a second factor?"}
        verb={isOn ? "Make it optional" : "Require it"}
        isHarmless={!isOn}
        isPending={change.isPending}
        error={change.error}
        onConfirm={() => put(!isOn)}
      >
        {isOn
          ? "Everybody may remove theirs. A password alone then opens the console."
          : consequences(without.length)}
      </ConfirmDialog>
    </Panel>
  );
}

function consequences(count: number): string {
  if (count === 0) return "Everybody has one already. New admins set theirs up when they come.";
  const who = count === 1 ? "1 admin has" : `${count} admins have`;
  return `${who} none: whatever they do next, the console asks them to set one up first. API keys and mailboxes go on as before.`;
}

function Who({
  without,
  admins,
}: {
  without: CompanySettings["admins_without_second_factor"];
  admins: number;
}) {
  if (without.length === 0)
    return (
      <Text c="dimmed">
        {admins === 1 ? "The one admin has one." : `All ${admins} admins have one.`}
      </Text>
    );
  const named = without.slice(0, NAMED_MAX).map(({ email, name }) => name || email);
  const more = without.length - named.length;
  return (
    <Text c="dimmed" style={{ overflowWrap: "anywhere" }}>
      Without one: {named.join(", ")}
      {more > 0 && ` and ${more} more`}.
    </Text>
  );
}

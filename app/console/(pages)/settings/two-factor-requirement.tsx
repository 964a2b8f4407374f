"use client";

import { Anchor, Stack, Text } from "@mantine/core";
import Link from "next/link";
import { useQuery } from "@tanstack/react-query";

import { meQuery } from "#app/console/session-queries.ts";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { type CompanySettings, useChangeSettings } from "./queries.ts";

const NAMED_MAX = 5;

export function TwoFactorRequirement({ settings }: { settings: CompanySettings }) {
  const isOn = settings.secondFactorRequired;
  const without = settings.adminsWithoutSecondFactor;
  return (
    <Panel
      title="Two-factor authentication"
      aside={<Status tone={isOn ? "done" : "none"} label={isOn ? "Required" : "Not required"} />}
    >
      <Stack gap="md" maw={640}>
        <Text>
          Require all admins to sign in with an authenticator app or a passkey in addition to their
          password. Admins without one have to set it up before they can use the console. This
          doesn’t apply to mailbox users or mail apps: a mailbox user’s second factor protects mail
          apps only if the unit’s policy allows app passwords.
        </Text>
        <AdminsWithoutFactor without={without} admins={settings.admins} />
        <ChangeRequirement settings={settings} />
      </Stack>
    </Panel>
  );
}

function ChangeRequirement({ settings }: { settings: CompanySettings }) {
  const change = useChangeSettings();
  const me = useQuery(meQuery);
  const isOn = settings.secondFactorRequired;
  const without = settings.adminsWithoutSecondFactor;

  async function save(secondFactorRequired: boolean) {
    await change.mutateAsync({ secondFactorRequired });
    toast(
      secondFactorRequired
        ? "Second factor required for all admins"
        : "Second factor made optional",
    );
  }

  if (isOn && me.data?.isOwner === false)
    return <Text>Only an owner can make the second factor optional.</Text>;
  if (!isOn && without.some(({ email }) => email === me.data?.email))
    return (
      <Text>
        You don’t have a second factor.{" "}
        <Anchor component={Link} underline="always" href="/console/profile?tab=security">
          Set one up
        </Anchor>{" "}
        before you require it from others.
      </Text>
    );
  return (
    <div>
      <ConfirmedButton
        label={isOn ? "Make second factor optional" : "Require second factor"}
        title={isOn ? "Make second factor optional?" : "Require second factor?"}
        isHarmless={!isOn}
        onConfirm={() => save(!isOn)}
      >
        {isOn
          ? "Admins can remove their second factor and sign in with a password alone."
          : consequences(without.length)}
      </ConfirmedButton>
    </div>
  );
}

function consequences(count: number): string {
  if (count === 0)
    return "All admins have a second factor. New admins have to set one up when they join.";
  const who = count === 1 ? "1 admin doesn’t" : `${count} admins don’t`;
  return `${who} have a second factor and will have to set one up before they can continue. API keys and mailboxes aren’t affected.`;
}

function AdminsWithoutFactor({
  without,
  admins,
}: {
  without: CompanySettings["adminsWithoutSecondFactor"];
  admins: number;
}) {
  if (without.length === 0)
    return (
      <Text c="dimmed">
        {admins === 1
          ? "The only admin has a second factor."
          : `All ${admins} admins have a second factor.`}
      </Text>
    );
  const named = without.slice(0, NAMED_MAX).map(({ email, name }) => name || email);
  const more = without.length - named.length;
  return (
    <Text c="dimmed" style={{ overflowWrap: "anywhere" }}>
      Without a second factor: {named.join(", ")}
      {more > 0 && ` and ${more} more`}.
    </Text>
  );
}

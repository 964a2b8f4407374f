"use client";

import { Anchor, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";

import { useRights } from "#app/console/rights.ts";

import { keyChoicesQuery } from "./queries.ts";

/** Where the company lets its keys be used at all; said only where that is not everywhere. */
export function CompanyAddresses() {
  const choices = useQuery(keyChoicesQuery);
  const mayChange = useRights().has("manage_settings");
  const list = choices.data?.company_addresses ?? [];
  if (list.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" mt="md">
      Your company lets its keys be used from {inWords(list)} only.{" "}
      {mayChange && (
        <Anchor component={Link} href="/console/settings" inherit underline="always">
          Change it in the settings
        </Anchor>
      )}
    </Text>
  );
}

const SHOWN = 3;

const inWords = (list: string[]) =>
  list.length <= SHOWN + 1
    ? list.join(", ")
    : `${list.slice(0, SHOWN).join(", ")} and ${list.length - SHOWN} more`;

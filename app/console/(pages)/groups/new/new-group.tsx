"use client";

import { Button, Group, Stack, Textarea, TextInput } from "@mantine/core";
import Link from "next/link";
import { useRouter } from "next/navigation";
import type { SubmitEvent } from "react";

import { addressesIn, pageOf, problemOfList } from "#app/console/(pages)/groups/group-words.ts";
import { useCreateGroup } from "#app/console/(pages)/groups/queries.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { FormProblem, problemOfField, problemOfReason } from "#app/console/ui/form-problem.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

const LIST = "/console/groups";

export function NewGroup() {
  const router = useRouter();
  const creation = useCreateGroup();
  const problems = {
    address:
      problemOfField(creation.error, "address", "Address") ??
      problemOfReason(creation.error, "already_exists"),
    name: problemOfField(creation.error, "name", "Name"),
    members: problemOfList(creation.error, {
      ...{ field: "members", label: "Members" },
      entries: creation.variables?.members,
    }),
  };
  const isOfField = Object.values(problems).some((problem) => problem !== null);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (creation.isPending || creation.isSuccess) return;
    const form = new FormData(event.currentTarget);
    creation.mutate(
      {
        address: textOf(form, "address").trim(),
        name: textOf(form, "name").trim(),
        members: addressesIn(textOf(form, "members")),
      },
      { onSuccess: ({ id }) => router.replace(pageOf(id)) },
    );
  }

  return (
    <>
      <Breadcrumbs trail={[{ label: "Groups", href: LIST }]} />
      <PageHeader
        title="Create a group"
        sentence="Anyone may write to it until you choose who."
        help="groups"
      />
      <Panel>
        <form onSubmit={handleSubmit} method="post" noValidate>
          <Stack gap="lg" maw={560}>
            <TextInput
              name="address"
              label="Address"
              description="At one of your company's domains."
              placeholder="support@northwind.com"
              error={problems.address}
              type="email"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              data-autofocus
            />
            <TextInput
              name="name"
              label="Name"
              placeholder="Support"
              error={problems.name}
              maxLength={160}
              autoComplete="off"
            />
            <Textarea
              name="members"
              label="Members"
              description="Up to 200 addresses, one a line. They may be outside your company."
              error={problems.members}
              size="md"
              rows={6}
              autoComplete="off"
              spellCheck={false}
            />
            {!isOfField && <FormProblem error={creation.error} />}
            <Group gap="xs">
              <Button type="submit" aria-busy={creation.isPending || creation.isSuccess}>
                Create group
              </Button>
              <Button component={Link} href={LIST} variant="default">
                Cancel
              </Button>
            </Group>
          </Stack>
        </form>
      </Panel>
    </>
  );
}

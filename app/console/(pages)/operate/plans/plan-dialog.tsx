"use client";

import { Anchor, Button, Group, Stack, Text, TextInput } from "@mantine/core";
import Link from "next/link";
import type { SubmitEvent } from "react";

import {
  hasLimitError,
  LimitFields,
  readLimits,
} from "#app/console/(pages)/operate/limit-fields.tsx";
import { formatCompanies, NO_LIMITS } from "#app/console/(pages)/operate/plan-limits.ts";
import { fieldError, FormError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { Modal } from "#app/console/ui/modal.tsx";
import { toast } from "#app/console/ui/toast.tsx";

import {
  type PlanFields,
  type PlanPreview,
  type PlanRow,
  usePreviewPlan,
  useSavePlan,
} from "./queries.ts";

/** Creates or edits a plan. Before saving an edit, it shows which companies it affects. */
export function PlanDialog({
  plan,
  onClose,
}: {
  plan: PlanRow | "new" | null;
  onClose: () => void;
}) {
  const shown = plan === "new" ? null : plan;
  return (
    <Modal
      opened={plan !== null}
      onClose={onClose}
      title={shown ? `Edit plan ${shown.name}` : "Create plan"}
    >
      <PlanForm plan={shown} onClose={onClose} />
    </Modal>
  );
}

/** Saves an unused plan directly. For others, the first submit loads the preview and the second one saves. */
function usePreviewBeforeSave(plan: PlanRow | null, onClose: () => void) {
  const save = useSavePlan(plan?.id ?? null);
  const preview = usePreviewPlan(plan?.id ?? "");
  const persist = (fields: PlanFields) =>
    save.mutate(fields, {
      onSuccess() {
        onClose();
        toast(plan ? `Plan ${fields.name} saved` : `Plan ${fields.name} created`);
      },
    });
  function submit(fields: PlanFields) {
    save.reset();
    if (!plan || plan.companies === 0 || preview.isSuccess) persist(fields);
    else preview.mutate(fields);
  }
  return { save, preview, submit, error: save.error ?? preview.error };
}

function PlanForm({ plan, onClose }: { plan: PlanRow | null; onClose: () => void }) {
  const { save, preview, submit, error } = usePreviewBeforeSave(plan, onClose);
  const problem = fieldError(error, "name", "Name");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    submit({ name: formText(form, "name"), ...readLimits(form) });
  }

  return (
    <form onSubmit={handleSubmit} onChange={() => preview.reset()} method="post" noValidate>
      <Stack gap="md">
        <TextInput
          name="name"
          label="Name"
          defaultValue={plan?.name ?? ""}
          error={problem}
          autoComplete="off"
          data-autofocus
          maw={360}
        />
        <LimitFields initial={plan ?? NO_LIMITS} error={error} />
        {!problem && !hasLimitError(error) && <FormError error={error} />}
        {preview.data && <PlanChangePreview preview={preview.data} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" aria-busy={save.isPending || preview.isPending}>
            {submitLabel(plan, preview.data)}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function submitLabel(plan: PlanRow | null, preview: PlanPreview | undefined): string {
  if (!plan) return "Create plan";
  if (preview) return `Save plan for ${formatCompanies(preview.companies)}`;
  return plan.companies > 0 ? "Review changes" : "Save plan";
}

/** The companies that a change to a plan affects, and those over the new limits. */
function PlanChangePreview({ preview }: { preview: PlanPreview }) {
  const { companies, over, over_count: overCount } = preview;
  return (
    <div role="status">
      <Text fw={600}>{formatCompanies(companies)} will get the new limits immediately.</Text>
      {overCount > 0 && (
        <>
          <Text mt="xs">
            {formatCompanies(overCount)} {overCount === 1 ? "is" : "are"} over the new limits: they
            keep what they have but can’t create more.
          </Text>
          <Text component="ul" m={0} mt={4} pl="md">
            {over.map(({ id, name, exceeded }) => (
              <li key={id}>
                <Anchor component={Link} href={`/console/operate/companies/${id}`}>
                  {name}
                </Anchor>
                : {exceeded.join(", ")}
              </li>
            ))}
            {overCount > over.length && <li>and {overCount - over.length} more</li>}
          </Text>
        </>
      )}
    </div>
  );
}

"use client";

import { Button, Group, Skeleton, Stack, Tabs } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useParams, useRouter } from "next/navigation";
import { useState } from "react";

import { ContentPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import { DeleteTemplateDialog } from "#app/console/(pages)/templates/delete-template-dialog.tsx";
import {
  type TemplateDetail,
  templateQuery,
  templateStatus,
  type TemplateVersion,
  useDuplicateTemplate,
} from "#app/console/(pages)/templates/queries.ts";
import { TemplateForm } from "#app/console/(pages)/templates/template-form.tsx";
import { templateValues } from "#app/console/(pages)/templates/template-values.ts";
import { change, type InputOf } from "#app/console/console-client.ts";
import { useAction } from "#app/console/ui/actions.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { DangerZone, Panel, SideBySide } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status, type StatusTone } from "#app/console/ui/status.tsx";
import { UrlTabs } from "#app/console/ui/tabs.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";
import { usePrivileges } from "#app/console/session.ts";

const LIST = "/console/templates";

export function TemplatePage() {
  const { id } = useParams<{ id: string }>();
  const template = useQuery(templateQuery(id));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Templates", href: LIST }]} />
      <QueryView
        query={template}
        noun="this template"
        skeleton={<TemplateSkeleton />}
        titleOrder={1}
      >
        {(template) => (
          <>
            <PageHeader
              title={template.name}
              description={<Status {...templateStatus(template.status, template.hasDraft)} />}
              action={<TemplateActions template={template} />}
            />
            <TemplateTabs template={template} />
          </>
        )}
      </QueryView>
    </>
  );
}

function TemplateActions({ template }: { template: TemplateDetail }) {
  const router = useRouter();
  const duplication = useDuplicateTemplate((id) => router.push(`${LIST}/${id}`));
  if (!usePrivileges().has("api_controls")) return null;
  return (
    <Group gap="xs">
      <Button
        variant="default"
        aria-busy={duplication.isPending}
        onClick={() => duplication.start({ params: { id: template.id } })}
      >
        Duplicate template
      </Button>
      {template.status === "published" && (
        <Button component={Link} href={`/console/emails/new?template=${template.id}`}>
          Compose email
        </Button>
      )}
    </Group>
  );
}

const TABS = { content: "Content", versions: "Versions" };

/** The form and the versions; only the versions for admins who can't change templates. */
function TemplateTabs({ template }: { template: TemplateDetail }) {
  if (!usePrivileges().has("api_controls")) return <TemplateVersions template={template} />;
  return (
    <UrlTabs labels={TABS}>
      <Tabs.Panel value="content">
        <TemplateContent template={template} />
      </Tabs.Panel>
      <Tabs.Panel value="versions">
        <TemplateVersions template={template} />
      </Tabs.Panel>
    </UrlTabs>
  );
}

type TemplateChanges = InputOf<"templates.update">["body"];

function TemplateContent({ template }: { template: TemplateDetail }) {
  const router = useRouter();
  const params = { id: template.id };
  const saving = useAction({
    async call({ body, publishes }: { body: TemplateChanges; publishes: boolean }) {
      await change("templates.update", { params, body });
      if (publishes) await change("templates.publish", { params });
    },
    invalidates: ["templates"],
    success: (_, { publishes }) => (publishes ? "Template published" : "Draft saved"),
  });
  const [isDeleting, dialog] = useDisclosure();
  return (
    <Stack gap="md">
      <TemplateForm
        initial={templateValues(template)}
        draft={`template-${template.id}`}
        submitLabel="Save draft"
        publishLabel="Publish template"
        send={(fields, publishes) =>
          saving.run({
            // An empty text that means "no text part" stays.
            body: { ...fields, text: fields.text ?? (template.text === "" ? "" : null) },
            publishes,
          })
        }
      />
      <DangerZone title="Delete template" actionLabel="Delete template" onAction={dialog.open}>
        Deletes all versions. Emails that were accepted keep their content.
      </DangerZone>
      <DeleteTemplateDialog
        template={isDeleting ? template : null}
        onClose={dialog.close}
        onDeleted={() => router.replace(LIST)}
      />
    </Stack>
  );
}

const TemplateSkeleton = () => (
  <>
    <Skeleton height={20} width="45%" mt={4} mb={8} />
    <Skeleton height={12} width={80} mb={32} />
    <Panel>
      <Skeleton height={520} />
    </Panel>
  </>
);

/** The versions of a template beside a preview of the chosen one. */
function TemplateVersions({ template }: { template: TemplateDetail }) {
  const [newest] = template.versions;
  const mayRestore = usePrivileges().has("api_controls");
  const [chosen, setChosen] = useState(newest?.number);
  const [restoring, setRestoring] = useState<number | null>(null);
  const queryClient = useQueryClient();
  const restoration = useAction({
    async call(version: number) {
      await change("templates.restoreVersion", { params: { id: template.id }, body: { version } });
      // The form starts from the restored content.
      await queryClient.invalidateQueries(templateQuery(template.id));
    },
    invalidates: ["templates.list"],
    success: (_, version) => `Version ${version} restored as a draft`,
    onDone: () => replaceSearch("?"),
  });
  const shown = template.versions.find(({ number }) => number === chosen) ?? newest;
  const restore = (number: number) =>
    template.hasDraft && template.status === "published"
      ? setRestoring(number)
      : restoration.start(number);
  const list = (
    <Panel title="Versions">
      <ItemList label="Versions, newest first">
        {template.versions.map((version) => (
          <ItemRow
            key={version.number}
            title={<Status {...versionStatus(version)} />}
            actions={
              <Group gap="xs" wrap="nowrap">
                <Button
                  size="xs"
                  variant={version === shown ? "light" : "default"}
                  aria-pressed={version === shown}
                  aria-label={`Show version ${version.number}`}
                  onClick={() => setChosen(version.number)}
                >
                  Show
                </Button>
                {mayRestore && version !== newest && (
                  <Button
                    size="xs"
                    variant="default"
                    aria-label={`Restore version ${version.number}`}
                    onClick={() => restore(version.number)}
                  >
                    Restore
                  </Button>
                )}
              </Group>
            }
          >
            <ExactTime at={version.publishedAt ?? version.updatedAt} />
          </ItemRow>
        ))}
      </ItemList>
    </Panel>
  );
  return (
    <SideBySide side={list}>
      {shown && (
        <ContentPreview
          title={`Version ${shown.number}`}
          subject={shown.subject ?? ""}
          html={shown.html}
          text={shown.text ?? ""}
        />
      )}
      <ConfirmDialog
        isOpen={restoring !== null}
        onClose={() => setRestoring(null)}
        title="Replace draft?"
        confirmLabel="Replace draft"
        onConfirm={() => restoration.run(restoring!)}
      >
        The draft’s content is replaced with version {restoring}. This can’t be undone.
      </ConfirmDialog>
    </SideBySide>
  );
}

function versionStatus({ number, isPublished, publishedAt }: TemplateVersion): {
  tone: StatusTone;
  label: string;
} {
  if (isPublished) return { tone: "done", label: `Version ${number}, published` };
  if (publishedAt === null) return { tone: "waiting", label: `Version ${number}, draft` };
  return { tone: "none", label: `Version ${number}` };
}

import { Button, Group } from "@mantine/core";
import { useState } from "react";

import { ContentPreview } from "#app/console/(pages)/emails/html-preview.tsx";
import {
  type TemplateDetail,
  type TemplateVersion,
  useRestoreVersion,
} from "#app/console/(pages)/templates/queries.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { Panel, SideBySide } from "#app/console/ui/panel.tsx";
import { Status, type StatusTone } from "#app/console/ui/status.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";

/** The versions of a template beside a preview of the chosen one. */
export function TemplateVersions({ template }: { template: TemplateDetail }) {
  const [newest] = template.versions;
  const [chosen, setChosen] = useState(newest?.number);
  const [restoring, setRestoring] = useState<number | null>(null);
  const restoration = useRestoreVersion(template.id, () => replaceSearch("?"));
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
                {version !== newest && (
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

import { Button, Group, Progress, Text } from "@mantine/core";
import { IconPaperclip } from "@tabler/icons-react";
import { type DragEvent, useId, useRef, useState } from "react";

import classes from "#app/console/(pages)/emails/emails.module.css";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { formatBytes } from "#app/console/ui/format.ts";

import { attachmentProblem, FILES_BYTES_MAX, FILES_MAX } from "./compose-values.ts";

type AttachmentsFieldProps = {
  files: File[];
  onChange: (files: File[]) => void;
  progress: number | null;
  error: string | null;
};

/**
 * Files to attach, chosen or dropped, with their size and the progress of the upload.
 *
 * @param progress from 0 to 1; null while nothing is sent
 */
export function AttachmentsField({ files, onChange, progress, error }: AttachmentsFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const labelId = useId();
  const [isOver, setIsOver] = useState(false);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const problem = error ?? attachmentProblem(files);

  const add = (list: FileList | null) => onChange([...files, ...(list ?? [])]);

  function drop(event: DragEvent) {
    event.preventDefault();
    setIsOver(false);
    add(event.dataTransfer.files);
  }

  return (
    <div
      role="group"
      aria-labelledby={labelId}
      className={classes.files}
      data-over={isOver}
      onDragOver={(event) => {
        event.preventDefault();
        setIsOver(true);
      }}
      onDragLeave={() => setIsOver(false)}
      onDrop={drop}
    >
      <Group justify="space-between" gap="8px 16px">
        <div>
          <Text id={labelId} size="sm" fw={600}>
            Attachments
          </Text>
          <Text size="sm" c="dimmed">
            {files.length === 0
              ? `Drop files here. Up to ${FILES_MAX} files, ${formatBytes(FILES_BYTES_MAX)} in total.`
              : `${formatBytes(size)} of ${formatBytes(FILES_BYTES_MAX)}`}
          </Text>
        </div>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconPaperclip size={14} />}
          onClick={() => input.current?.click()}
        >
          Attach files
        </Button>
        <input
          ref={input}
          type="file"
          multiple
          hidden
          aria-label="Attach files"
          onChange={(event) => {
            add(event.currentTarget.files);
            // So that the same file can be chosen again.
            event.currentTarget.value = "";
          }}
        />
      </Group>
      {files.length > 0 && (
        <ItemList label="Attachments">
          {files.map((file, at) => (
            <ItemRow
              key={`${at} ${file.name}`}
              title={file.name}
              actions={
                <Button
                  size="xs"
                  variant="default"
                  aria-label={`Remove ${file.name}`}
                  onClick={() => onChange(files.filter((_, other) => other !== at))}
                >
                  Remove
                </Button>
              }
            >
              {formatBytes(file.size)}
            </ItemRow>
          ))}
        </ItemList>
      )}
      {progress !== null && files.length > 0 && (
        <Progress value={progress * 100} aria-label="Upload" mt="xs" />
      )}
      {problem && (
        <Text role="alert" size="sm" c="var(--mantine-color-error)" mt="xs">
          {problem}
        </Text>
      )}
    </div>
  );
}

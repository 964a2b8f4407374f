{{- define "posthouse.labels" -}}
app.kubernetes.io/name: posthouse
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "posthouse.name" -}}
{{ printf "%s-%s" .Release.Name .role | trunc 52 | trimSuffix "-" }}
{{- end }}

{{/* A pod of one role. Call with .role, .settings (values of the role), and the root's .Values, .Release, .Chart. */}}
{{- define "posthouse.pod" -}}
metadata:
  labels:
    {{- include "posthouse.labels" . | nindent 4 }}
    app.kubernetes.io/component: {{ .role }}
spec:
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets: {{ toYaml . | nindent 4 }}
  {{- end }}
  # Up to 42 s to finish work in progress.
  terminationGracePeriodSeconds: 60
  automountServiceAccountToken: false
  securityContext:
    runAsNonRoot: true
    runAsUser: 900
    runAsGroup: 900
    fsGroup: 900
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile: { type: RuntimeDefault }
    sysctls: [{ name: net.ipv4.ip_unprivileged_port_start, value: "0" }]
  topologySpreadConstraints:
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "posthouse.labels" . | nindent 10 }}
          app.kubernetes.io/component: {{ .role }}
  {{- with .Values.nodeSelector }}
  nodeSelector: {{ toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations: {{ toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: {{ .role }}
      image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      securityContext:
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities: { drop: [ALL] }
      env:
        - { name: POSTHOUSE_ROLES, value: {{ .role }} }
        - { name: POSTHOUSE_HOSTNAME, value: {{ .Values.hostname | quote }} }
        {{- with .Values.url }}
        - { name: POSTHOUSE_URL, value: {{ . | quote }} }
        {{- end }}
        - name: DATABASE_URL
          valueFrom: { secretKeyRef: { name: {{ .Values.existingSecret }}, key: database-url } }
        - { name: POSTHOUSE_INSTANCE_KEY_FILE, value: /secret/instance.key }
        {{- if eq .role "mail" }}
        - name: POD_NAME
          valueFrom: { fieldRef: { fieldPath: metadata.name } }
        - { name: POSTHOUSE_MAIL_HOST, value: "$(POD_NAME).{{ include "posthouse.name" . }}-hosts.{{ .Release.Namespace }}" }
        {{- end }}
        {{- range $name, $value := .Values.env }}
        - { name: {{ $name }}, value: {{ $value | quote }} }
        {{- end }}
      ports:
        {{- if eq .role "web" }}
        - { name: https, containerPort: 443 }
        - { name: http, containerPort: 80 }
        {{- else if eq .role "mail" }}
        - { name: smtp, containerPort: 25 }
        - { name: submissions, containerPort: 465 }
        - { name: submission, containerPort: 587 }
        - { name: imaps, containerPort: 993 }
        - { name: pop3s, containerPort: 995 }
        - { name: sieve, containerPort: 4190 }
        - { name: link, containerPort: 24240 }
        {{- end }}
      # Posthouse restarts its own processes; the pod only leaves its services while they don't respond.
      startupProbe:
        exec: { command: [node, dist/server/cli/health-check.js] }
        timeoutSeconds: 10
        periodSeconds: 5
        failureThreshold: 120
      readinessProbe:
        exec: { command: [node, dist/server/cli/health-check.js] }
        timeoutSeconds: 10
        periodSeconds: 15
        failureThreshold: 2
      resources: {{ toYaml .settings.resources | nindent 8 }}
      volumeMounts:
        - { name: data, mountPath: /data }
        - { name: tmp, mountPath: /tmp }
        - { name: run, mountPath: /run }
        - { name: secret, mountPath: /secret, readOnly: true }
  volumes:
    - { name: tmp, emptyDir: {} }
    - { name: run, emptyDir: { medium: Memory } }
    {{- if ne .role "mail" }}
    - { name: data, emptyDir: {} }
    {{- end }}
    - name: secret
      secret:
        secretName: {{ .Values.existingSecret }}
        defaultMode: 0440
        items: [{ key: instance-key, path: instance.key }]
{{- end }}

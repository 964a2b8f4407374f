<?php
// Debian's plugins and ours, before Roundcube looks for them.
define('RCUBE_PLUGINS_DIR', getenv('WEBMAIL_RUN') . '/plugins/');

<?php
// The folder with Debian's plugins and ours. Roundcube sets its own default unless this is defined first.
define('RCUBE_PLUGINS_DIR', getenv('WEBMAIL_RUN') . '/plugins/');

#!/usr/bin/env bash
# Exchanges the identity of a workflow of GitHub Actions for a token of Stockroom, and makes it the output `token`. Secrets go
# through pipes: other processes can read arguments.
set -euo pipefail

: "${ACTIONS_ID_TOKEN_REQUEST_URL:?give the job the permission id-token: write}"
audience=${STOCKROOM_AUDIENCE:-$STOCKROOM_URL}
case $STOCKROOM_URL in
  https://* | http://127.0.0.1[:/]* | http://localhost[:/]*) ;;
  *)
    echo '::error::The input url must begin with https://: over http, anybody on the way could read the identity and the token.'
    exit 1
    ;;
esac

identity=$(curl -fsS --retry 3 -G "$ACTIONS_ID_TOKEN_REQUEST_URL" --data-urlencode "audience=$audience" \
  -H @<(printf 'Authorization: Bearer %s' "$ACTIONS_ID_TOKEN_REQUEST_TOKEN") | jq -er .value)
echo "::add-mask::$identity"

if ! answer=$(curl -sS --retry 3 --fail-with-body "${STOCKROOM_URL%/}/1/tokens/exchange" \
  --data-urlencode "trust=$STOCKROOM_TRUST" --data-urlencode "subject_token@"<(printf %s "$identity")); then
  echo "::error::$(jq -r '"\(.detail) (\(.requestId))" | gsub("[\r\n%]"; " ")' <<<"$answer" || echo 'Stockroom gave no answer.')"
  exit 1
fi

# Anything else in an answer could be a command of the workflow, or another output.
token=$(jq -er '.access_token | select(test("\\A[\\w-]+\\z"))' <<<"$answer")
echo "::add-mask::$token"
echo "token=$token" >>"$GITHUB_OUTPUT"

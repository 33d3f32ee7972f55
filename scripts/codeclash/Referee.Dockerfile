# The container of RefereeArena, for agents and for games. `referee` is the static program of a release archive; it
# stands beside this file when the image is built, as does CodeClash's checkout.
FROM debian:bookworm-slim

RUN apt-get update \
 && apt-get install -y --no-install-recommends bash build-essential ca-certificates git jq python3 \
 && rm -rf /var/lib/apt/lists/*

COPY codeclash/arenas/referee/referee /usr/local/bin/referee

# The folder that an agent begins with: a bot that plays, and the game's page beside it.
ARG GAME=push
RUN referee new start --game "$GAME" --lang python --dir /tmp \
 && mkdir /workspace \
 && cp -r /tmp/start/. /workspace \
 && cp /workspace/bot.py /workspace/bot \
 && chmod +x /workspace/bot \
 && git -C /workspace init --quiet \
 && git -C /workspace add --all \
 && git -C /workspace -c user.name=referee -c user.email=referee@localhost commit --quiet -m "A bot that plays"

WORKDIR /workspace

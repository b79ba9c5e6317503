//! Reading a body within its limit.

use crate::memory::{Memory, Share};
use crate::problem::{Kind, Problem};
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, Request, header};
use http_body_util::BodyExt;
use std::time::Duration;

/// Of a body that is refused, this much more is read and thrown away.
const DRAINED_BYTES: usize = 16 * 1024 * 1024;

fn demand_json(headers: &HeaderMap) -> Result<(), Problem> {
    let refuse = |what: String| Err(Problem::new(Kind::UnsupportedMediaType, what));
    let text = |name| {
        headers
            .get(name)
            .map(|value| String::from_utf8_lossy(value.as_bytes()))
    };
    let media = text(header::CONTENT_TYPE);
    let essence = media
        .as_deref()
        .unwrap_or_default()
        .split(';')
        .next()
        .unwrap_or_default();
    if !essence.trim().eq_ignore_ascii_case("application/json") {
        return refuse(format!(
            "the content type is {}",
            media.as_deref().unwrap_or("not given")
        ));
    }
    match text(header::CONTENT_ENCODING) {
        Some(coding) if !coding.eq_ignore_ascii_case("identity") => {
            refuse(format!("the content coding is {coding}"))
        }
        _ => Ok(()),
    }
}

/// Reads on, so that the client gets to reading the answer.
async fn drain(mut body: Body) {
    let mut drained = 0;
    while drained < DRAINED_BYTES
        && let Some(Ok(frame)) = body.frame().await
    {
        drained += frame.data_ref().map_or(0, Bytes::len);
    }
}

async fn too_large(body: Body, limit: usize) -> Problem {
    drain(body).await;
    Problem::new(Kind::BodyTooLarge, format!("the limit is {limit} bytes"))
}

/// The body of a request that says that it is JSON, if it comes within `patience`, and its share of the memory.
pub async fn read(
    request: Request<Body>,
    limit: usize,
    patience: Duration,
    memory: &Memory,
) -> Result<(Bytes, Share), Problem> {
    let late = |_| {
        let detail = format!("the limit is {} s", patience.as_secs());
        Problem::new(Kind::RequestTimeout, detail)
    };
    let read = tokio::time::timeout(patience, read_whole(request, limit, memory.share()));
    read.await.map_err(late)?
}

async fn read_whole(
    request: Request<Body>,
    limit: usize,
    mut share: Share,
) -> Result<(Bytes, Share), Problem> {
    demand_json(request.headers())?;
    let declared = request.headers().get(header::CONTENT_LENGTH);
    let declared = declared
        .and_then(|v| v.to_str().ok()?.parse().ok())
        .unwrap_or(0);
    let mut body = request.into_body();
    if declared > limit {
        return Err(too_large(body, limit).await);
    }
    // Most bodies are one piece, which is not copied.
    let mut first = Bytes::new();
    let mut whole = Vec::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|e| Problem::new(Kind::MalformedJson, e.to_string()))?;
        let Ok(piece) = frame.into_data() else {
            continue;
        };
        if first.len() + whole.len() + piece.len() > limit {
            return Err(too_large(body, limit).await);
        }
        if let Err(problem) = share.grow(piece.len()) {
            drop((first, whole, share));
            drain(body).await;
            return Err(problem);
        }
        if first.is_empty() && whole.is_empty() {
            first = piece;
            continue;
        }
        if whole.is_empty() {
            whole.reserve(declared.max(first.len() + piece.len()));
            whole.extend_from_slice(&std::mem::take(&mut first));
        }
        whole.extend_from_slice(&piece);
    }
    let whole = if whole.is_empty() {
        first
    } else {
        whole.into()
    };
    Ok((whole, share))
}

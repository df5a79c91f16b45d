"""The texts of curves over training, in Portuguese and in English, as `strings` has those of the report."""

from __future__ import annotations

CURVES: dict[str, tuple[str, str]] = {
    "curves_title": ("Curvas de treino", "Curves over training"),
    "curves_made": (
        "{runs} treino(s), {checkpoints} checkpoints, {tasks} tarefa(s). Gerado por {package}.",
        "{runs} training(s), {checkpoints} checkpoints, {tasks} task(s). Made by {package}.",
    ),
    "curves": ("Curvas de treino", "Curves over training"),
    "curves_help": (
        "Faixa: intervalo de 95 % pelos itens. Linha tracejada: acaso. A faixa não mostra o ruído entre um passo e "
        "o seguinte, que está na tabela de cada tarefa.",
        "Band: 95% interval over items. Dashed line: chance. The band does not show the noise from one step to the "
        "next, which is in the table of each task.",
    ),
    "useful": ("O que mede nesta escala", "What measures something at this scale"),
    "useful_help": (
        "Separáveis: quantas diferenças visíveis cabem no que se aprendeu = ganho ÷ (√2 × maior entre ruído sem "
        "tendência e erro pelos itens), mediana dos treinos. Acima do acaso: treinos que terminam acima dele, com "
        "correção de Holm por todos os checkpoints. Cedo como no fim: pares de treinos na ordem final, média da "
        "primeira metade dos passos (Heineman et al. 2025). As tarefas que nunca saem do acaso vêm por último.",
        "Separable: how many visible differences fit into what was learnt = gain ÷ (√2 × the larger of detrended "
        "noise and error over items), median of the trainings. Above chance: trainings that end above it, with "
        "Holm's correction over all checkpoints. Early as in the end: pairs of trainings in the final order, mean "
        "of the first half of the steps (Heineman et al. 2025). Tasks that never leave chance come last.",
    ),
    "curve_chart": (
        "Gráfico: a pontuação por passo de treino, com faixa de 95 %. A tabela abaixo, que se abre, tem os pontos.",
        "Chart: the score by training step, with a 95% band. The table below, which opens, has the points.",
    ),
    "agreement_chart": (
        "Gráfico: em cada passo, quanto a ordem dos treinos concorda com a ordem final.",
        "Chart: at each step, how far the order of the trainings agrees with the final order.",
    ),
    "run": ("Treino", "Training"),
    "checkpoint": ("Checkpoint", "Checkpoint"),
    "step": ("passo", "step"),
    "tokens": ("tokens de treino", "training tokens"),
    "score_percent": ("pontuação, %", "score, %"),
    "npm_points": ("NPM", "NPM"),
    "separable": ("Separáveis", "Separable"),
    "spearman": ("Spearman", "Spearman"),
    "above_chance": ("Acima do acaso", "Above chance"),
    "early": ("Cedo como no fim", "Early as in the end"),
    "points_of": ("Pontos da curva ({count})", "Points of the curve ({count})"),
    "score_se": ("Pontuação % ± erro", "Score % ± error"),
    "figures": ("Os números de cada curva", "The figures of each curve"),
    "figures_help": (
        "Tudo em pontos. Ganho: do primeiro ao último checkpoint pela curva que nunca desce (regressão isotônica). "
        "Spearman: correlação de postos entre passo e pontuação (FineWeb2 pede 0,5). Subidas − descidas: parte das "
        "mudanças entre vizinhos (Heineman et al. 2025). Mudança média: |diferença| entre vizinhos (Tucano 2). "
        "Ruído: desvio-padrão dos {last} últimos checkpoints; sem tendência: em torno da curva que nunca desce. SNR"
        " de um treino: média ÷ desvio-padrão de todos os checkpoints (Tucano 2); é alto onde nada se aprende. "
        "Acima do acaso para sempre: passo a partir do qual todos estão significativamente acima (Holm, 5 %). +5 "
        "pontos: primeiro passo 5 pontos acima do acaso (Tucano 2).",
        "All in points. Gain: from the first to the last checkpoint by the curve that never falls (isotonic "
        "regression). Spearman: rank correlation of step and score (FineWeb2 asks for 0.5). Rises − falls: share of"
        " the changes between neighbours (Heineman et al. 2025). Mean change: |difference| between neighbours "
        "(Tucano 2). Noise: standard deviation of the last {last} checkpoints; detrended: around the curve that "
        "never falls. SNR of one training: mean ÷ standard deviation of all checkpoints (Tucano 2); it is high "
        "where nothing is learnt. Above chance for good: step from which all are significantly above (Holm, 5%). +5"
        " points: first step 5 points above chance (Tucano 2).",
    ),
    "last_score": ("Último", "Last"),
    "gain": ("Ganho", "Gain"),
    "rises": ("Subidas − descidas", "Rises − falls"),
    "mac": ("Mudança média", "Mean change"),
    "item_error": ("Erro pelos itens", "Error over items"),
    "noise": ("Ruído", "Noise"),
    "detrended": ("Sem tendência", "Detrended"),
    "snr_one": ("SNR de um treino", "SNR of one training"),
    "for_good": ("Acima do acaso para sempre", "Above chance for good"),
    "five": ("+5 pontos", "+5 points"),
    "between": ("Entre treinos", "Between trainings"),
    "between_help": (
        "Nos passos que todos têm. Amplitude: maior − menor pontuação final, em pontos. Amplitude ÷ ruído: pela "
        "mediana dos ruídos; a mesma para a pontuação e seu NPM. SNR entre modelos: amplitude relativa ÷ ruído "
        "relativo (Heineman et al. 2025); muda com o zero da escala. SNR entre sementes: média ÷ desvio-padrão "
        "entre treinos que só diferem na semente (FineWeb2 pede 20). τ vizinhos: tau-a médio entre passos vizinhos "
        "da segunda metade (FineWeb2). O gráfico: tau-a de Kendall entre a ordem dos treinos em cada passo e a "
        "ordem final.",
        "At the steps that all have. Spread: largest − smallest final score, in points. Spread ÷ noise: by the "
        "median of the noises; the same for a score and its NPM. SNR between models: relative spread ÷ relative "
        "noise (Heineman et al. 2025); it moves with the scale's zero. SNR between seeds: mean ÷ standard deviation"
        " between trainings that differ by their seed only (FineWeb2 asks for 20). τ neighbours: mean tau-a of "
        "neighbouring steps of the second half (FineWeb2). The chart: Kendall's tau-a of the order of the trainings"
        " at each step with the final order.",
    ),
    "spread": ("Amplitude", "Spread"),
    "ratio": ("Amplitude ÷ ruído", "Spread ÷ noise"),
    "snr_models": ("SNR entre modelos", "SNR between models"),
    "snr_seeds": ("SNR entre sementes", "SNR between seeds"),
    "neighbours": ("τ vizinhos", "τ neighbours"),
    "agreement_axis": ("tau-a com a ordem final", "tau-a with the final order"),
    "changes": (
        "Os últimos checkpoints (até {last}) mudaram algo?",
        "Did the last checkpoints (up to {last}) change anything?",
    ),
    "changes_help": (
        "Pareado pelos itens: os mesmos itens em todos esses checkpoints. Tendência: mudança ao longo deles por uma"
        " reta em cada item, em pontos, com intervalo de 95 %; p após Holm por todas as linhas. Q: teste de Cochran"
        " de que todos acertam a mesma quantidade, sem correção.",
        "Paired over items: the same items on all these checkpoints. Trend: the change over them by a straight line"
        " through each item, in points, with 95% interval; p after Holm over all rows. Q: Cochran's test that all "
        "solve equally many, not corrected.",
    ),
    "trend": ("Tendência", "Trend"),
    "ends": ("Último − primeiro", "Last − first"),
    "q": ("p (Q)", "p (Q)"),
    "changed": ("Mudou", "Changed"),
    "item_count": ("Itens", "Items"),
    "steps": ("Passos", "Steps"),
}
